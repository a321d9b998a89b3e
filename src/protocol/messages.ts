/**
 * What goes over the run's socket, one JSON object a line. Requests are imperative. An agent opens one connection and
 * keeps it: when it closes, the agent has ended. Records and requests of one agent are handled in the order sent.
 */

import type { RefusalCode } from "../core/admission.ts";
import type { AgentId, Ending } from "../core/agent.ts";
import type { CommandEnd, CommandStart } from "../core/command.ts";
import type { Limits } from "../core/limits.ts";
import type { AskKind, AssistantBlock, Effort, ModelDelta, ModelFailure, ModelRequest } from "../core/model.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { RunState } from "../core/run-state.ts";
import type { CompactionNote, UserEntry } from "../core/transcript.ts";
import type { Usage } from "../core/usage.ts";

export interface Join {
	say: "join";
	pid: number;
	/** In which `pid` has that number, as pid-namespace.ts has it; null where the system has none, or does not say. */
	pidNamespace: string | null;
	/** Of the process, where /proc tells it: elsewhere it costs a process to ask. */
	startTime?: string;
	/** From AGENTREE_TOKEN of the environment that was found, its own or an ancestor's. */
	token?: string;
	/** From AGENTREE_COMMAND: the command that it believes to belong to. */
	command?: number;
	/** Absent for the root, whose task the supervisor knows. */
	task?: string;
	cwd: string;
	model?: string;
	effort?: Effort;
	limits: Partial<Limits>;
	systemPrompt?: string;
	appendSystemPrompt?: string;
	/** Go on as this agent, a child of the one that joins, which had ended; `task` is then a message for it. */
	resume?: AgentId;
	/** As in Joined. */
	compactAt?: number;
}

export type FromAgent =
	| Join
	/** The supervisor knows the turn of a note. */
	| { say: "record"; entry: UserEntry | Omit<CompactionNote, "turn"> }
	| { say: "ask"; request: ModelRequest; kind: AskKind }
	| ({ say: "command_started" } & CommandStart)
	| {
			say: "command_ended";
			command: number;
			end: CommandEnd;
			outputBytes: number;
			leftRunning: readonly { pid: number; name: string }[];
	  }
	/** Its newest command gave the same result as those before it, so many times in a row. */
	| { say: "repeats"; command: number; times: number }
	/** `lastWords`: what there is of an answer, when the ending is none. */
	| { say: "finish"; ending: Ending; lastWords?: string };

export interface Joined {
	say: "joined";
	run: string;
	agent: AgentId;
	/** For the agent's commands. */
	token: string;
	task: string;
	cwd: string;
	/** Where the agent puts its commands' raw output. Exists. */
	directory: string;
	/** First in the PATH of commands. */
	shimDirectory: string;
	home: string;
	/** The soft limit of open files for its commands, when it is not the one that they would inherit. */
	commandFiles?: number;
	model: string;
	limits: Limits;
	systemPrompt?: string;
	appendSystemPrompt?: string;
	/** The model's context window, tokens. */
	contextTokens: number;
	/** The share of the window, 0 to 1, at which older rounds are replaced by a summary. */
	compactAt: number;
	/** It goes on with the history that is in its transcript. */
	resumed?: Resumed;
	/** The answer is what a command printed, byte for byte, which may be nothing. */
	answersBytes?: true;
	/** Print the answer to stdout; false for a root whose supervisor reports in another format. */
	printsAnswer: boolean;
}

export interface Resumed {
	/** How it had ended, in words. */
	reason: string;
	/** Of the person, or the parent, that resumed it. */
	message?: string;
	/** Its child agents, all of which are over. */
	children: readonly ChildBefore[];
	/** One line each, for people: what of its files was damaged and is mended. */
	damage: readonly string[];
}

export interface ChildBefore {
	agent: AgentId;
	/** In one line, cut. */
	task: string;
	/** Its last text; the beginning of it where `characters`, which it has in all, are more than were sent. */
	lastWords: string;
	characters?: number;
	/** The path of the file that has it whole. */
	transcript: string;
	/** Then `lastWords` are its answer. */
	hasAnswered: boolean;
	/** The command that it was started by, where that is known. */
	command?: number;
}

export type ToAgent =
	| Joined
	| { say: "refused"; code: RefusalCode | "unknown" | "usage"; reason: string }
	/**
	 * `output`: a file whose bytes are the answer. `notes`: what the model is to be told beside the results of its calls.
	 */
	| {
			say: "answer";
			content: AssistantBlock[];
			stopReason: string;
			stopWords?: string;
			usage: Usage;
			notes?: readonly string[];
			output?: string;
	  }
	/** `partial`: the text that had come before the call broke. */
	| ({ say: "ask_failed"; reason: string; exitCode: 1 | 75 | 77; partial: string; output?: string } & Pick<
			ModelFailure,
			"contextFull" | "refusesThinking"
	  >)
	/** No more turns: one ask of kind `last` may be made. `partial`: as above, of a call that is not tried again. */
	| { say: "ask_refused"; limit: string; reason: string; partial: string }
	/** How many child agents of that command live: while it is not 0 the command's clock stands still. */
	| { say: "children"; command: number; alive: number }
	/** Whether the logs of commands may be written, and why not. Until it is said, they may. */
	| { say: "logs"; mayWrite: true }
	| { say: "logs"; mayWrite: false; reason: string }
	/** End your commands, print what you have, finish with this ending. `partial`: the text of a call that was under way. */
	| { say: "stop"; ending: Ending; partial: string }
	| { say: "finished" };

/** A dashboard, or another command of the program. */
export type FromWatcher =
	| { say: "watch" }
	/** Stream the pieces of this agent's answers, too; null for none. */
	| { say: "focus"; agent: AgentId | null }
	/**
	 * Stops the agent and all below it. `isHurry`: at once, without a grace. Answered by `stopped` when it is done; for the
	 * root by the end of the run.
	 */
	| { say: "stop_agent"; agent: AgentId; reason: string; signal: number; isHurry: boolean };

export type ToWatcher =
	/** First a snapshot, then every event after it: no gap. */
	| { say: "snapshot"; state: RunState }
	| { say: "event"; event: RunEvent }
	/** `text` since the turn began for the agent in focus, then each piece. */
	| { say: "delta"; agent: AgentId; turn: number; delta: ModelDelta }
	/** A line was added to the agent's transcript. */
	| { say: "recorded"; agent: AgentId }
	| { say: "stopped"; agent: AgentId; survivors: number[] };
