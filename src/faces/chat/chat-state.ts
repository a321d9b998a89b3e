/** What a conversation knows, beside the line that is being written and what is shown: pure. */
import type { Limits } from "../../core/limits/limits.ts";
import type { Confinement } from "../../core/machine/sandbox.ts";
import { type Agent, type AgentId, isOver, ROOT } from "../../core/model/agent.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { WaitingMessage } from "../../core/schemas/run-state.ts";
import type { UserCommand } from "../../project/instructions/user-command.ts";
import type { Key } from "../../tui/keys/key.ts";
import type { OpenQuestion } from "../../tui/questions/open-question.ts";
import type { FromWatcher } from "../../wire/watcher-messages.ts";
import type { ChatLine } from "./output/messages.ts";

export interface ChatState {
	readonly now: number;
	/** Undefined before the first message, with which the run begins. */
	readonly run: RunState | undefined;
	/** The agents whose call waits until the service takes more, and since when. */
	readonly heldSince: ReadonlyMap<AgentId, number>;
	readonly link: Link;
	/** What the supervisor was asked and has not answered, the oldest first. */
	readonly asks: readonly FromWatcher[];
	/** Messages that were said before the agent was there to get them, which it gets then. */
	readonly unsent: readonly string[];
	/** At how many other terminals a person talks with the agent. */
	readonly otherFaces: number;
	/** The agent is interrupted as soon as it is there. */
	readonly interruptsFirst: boolean;
	readonly question: Question | undefined;
	/** Until then Ctrl-C on an empty prompt leaves. */
	readonly leaveUntil: number;
	readonly local: LocalLine | undefined;
	/** What such commands have printed since the last message, which the next one carries. */
	readonly heard: readonly string[];
	/** What the run is to begin with, or was. */
	readonly choice: Choice;
	readonly showsThinking: boolean;
	readonly attention: Attention;
	readonly facts: ChatFacts;
}

export type Link =
	| { readonly is: "none" }
	| { readonly is: "beginning"; readonly message: string }
	| { readonly is: "open" }
	/** The run was asked to end, and the conversation ends with it. */
	| { readonly is: "ending"; readonly by: "close" | "stop"; readonly since: number; readonly after: Then | undefined }
	| { readonly is: "lost" };

/** What a person is asked; it stands in place of the line. */
export type Question =
	| ({ readonly is: "leaving"; readonly after: Then | undefined } & ByLetter)
	| Picking
	| (Undoing & ByLetter)
	| { readonly is: "agent_question"; readonly open: OpenQuestion };

interface ByLetter {
	/** A letter that comes before was typed for something else. */
	readonly answeredFrom: number;
}

export interface Picking {
	readonly is: "picking";
	/** Those that are shown have all of these in them. */
	readonly words: string;
	readonly found: FoundSessions;
	readonly at: number;
	/** A copy of it is resumed. */
	readonly isFork: boolean;
}

export interface FoundSessions {
	readonly header: string;
	readonly rows: readonly { readonly run: string; readonly line: string }[];
}

/** Whether the files are restored. */
export interface Undoing {
	readonly is: "undoing";
	/** The message before which they were so; undefined: the conversation cannot be cut there. */
	readonly before: CutAt | undefined;
}

interface LocalLine {
	readonly line: string;
	/** What it prints is for the next message, too. */
	readonly isKept: boolean;
}

/** Names as a person gives them, before they are looked up. */
export interface Choice {
	readonly model?: string;
	readonly effort?: string;
	readonly role?: string;
	readonly limits?: Partial<Limits>;
}

interface Attention {
	/** Undefined: the terminal has not reported it. */
	readonly hasFocus: boolean | undefined;
	readonly actedAt: number;
}

/** What does not change while the conversation goes on. */
export interface ChatFacts {
	/** What `~/` stands for. */
	readonly home: string | undefined;
	readonly directory: string;
	readonly shownDirectory: string;
	readonly model: string;
	readonly models: readonly string[];
	readonly efforts: readonly string[];
	readonly roles: readonly { readonly name: string; readonly description: string }[];
	/** Runs have no sandbox, and ask nothing. */
	readonly skipsPermissions?: true;
	/** That of a run to be; absent: none. */
	readonly sandboxMode?: Confinement["mode"];
	readonly commands: readonly UserCommand[];
	/** What lies in the root directory: such a name behind a slash is a path. */
	readonly namesAtRoot: readonly string[];
}

export function rootOf({ run }: ChatState): Agent | undefined {
	return run?.agents[ROOT];
}

/**
 * The process of the agent that the person talks with has joined the run. In a run that was just begun, or resumed, it
 * does so a moment after the supervisor is there.
 */
export function isThere(state: ChatState): boolean {
	const root = rootOf(state);
	return root !== undefined && !isOver(root);
}

/** A run was just begun or resumed, and its agent is still to come. */
export function isStarting(state: ChatState): boolean {
	if (state.link.is === "beginning") return true;
	return state.link.is === "open" && !isThere(state) && state.run?.ended === undefined;
}

/** The agent that the person talks with answers, or will; or it is still to come. */
export function isWorking(state: ChatState): boolean {
	if (state.link.is === "beginning") return true;
	if (state.link.is !== "open") return false;
	return isThere(state) ? rootOf(state)?.state.is !== "listening" : state.run?.ended === undefined;
}

/** Living agents beside the one that the person talks with. */
export function othersAlive({ run }: ChatState): number {
	if (run === undefined) return 0;
	const { living } = branchOf(run.agents, ROOT);
	const root = run.agents[ROOT];
	return Math.max(0, living - (root === undefined || isOver(root) ? 0 : 1));
}

/** The person's messages that the agent has not got yet. */
export function queuedMessages(state: ChatState, agent: AgentId = ROOT): readonly WaitingMessage[] {
	return (state.run?.agents[agent]?.messages ?? []).filter(({ from }) => from === null);
}

/** What comes after the conversation, in the same terminal. */
export type Then =
	/** `draft`: what stands in its line. */
	| { readonly is: "new"; readonly draft?: string }
	/** Another one, or with `isFork` a copy of it; undefined: of this one. */
	| {
			readonly is: "resume";
			readonly run: string | undefined;
			readonly isFork: boolean;
			/** The copy ends before this message, which stands in the line. */
			readonly cut?: CutAt;
	  };

/** A message of the person, counted from 1, at which a conversation is cut. */
export interface CutAt {
	readonly message: number;
	readonly text: string;
}

export type ChatEnd =
	/** `stopped`: with all agents. `left_running`: the run goes on. `lost`: its supervisor is gone. */
	| {
			readonly by: "closed" | "stopped" | "left_running" | "run_ended" | "lost";
			readonly after?: Then | undefined;
	  }
	/**
	 * A signal, or the end of the terminal, which is SIGHUP. An attached conversation left its run alone. `isStarting`: the run was
	 * just being started, and could not be asked to end. `isLeft`: it goes on at another terminal.
	 */
	| { readonly by: "signal"; readonly signal: number; readonly isStarting?: true; readonly isLeft?: true };

export type Effect =
	| { readonly do: "send"; readonly message: FromWatcher }
	| { readonly do: "begin"; readonly message: string }
	| { readonly do: "print"; readonly lines: readonly ChatLine[] }
	/** Appends what the person has asked the conversation itself. */
	| { readonly do: "echo"; readonly text: string }
	| { readonly do: "hint"; readonly text: string; readonly forMs: number }
	| { readonly do: "put_back"; readonly text: string }
	| { readonly do: "clear_line" }
	| { readonly do: "run_local"; readonly line: string }
	| { readonly do: "end_local" }
	| { readonly do: "show_tree"; readonly selected: AgentId }
	/** Asks the command line for a report, which is then shown. */
	| { readonly do: "look_up"; readonly what: LookUp }
	| { readonly do: "expand"; readonly command: number }
	| { readonly do: "find_sessions"; readonly words: string }
	| { readonly do: "find_undo"; readonly to: number | undefined }
	/** Puts the files back as they were found to be; then the conversation is cut. */
	| { readonly do: "put_back_files"; readonly cut: CutAt | undefined }
	| { readonly do: "open_editor" }
	| { readonly do: "show_thinking"; readonly isShown: boolean }
	/** Copies the newest answer, or the one before so many. */
	| { readonly do: "copy_answer"; readonly back: number }
	| { readonly do: "remember"; readonly text: string }
	| { readonly do: "end"; readonly end: ChatEnd };

export type LookUp =
	| { readonly is: "ps" }
	| { readonly is: "show"; readonly agent: AgentId }
	| { readonly is: "sessions"; readonly words: string }
	/** What has changed in the files since the conversation began. */
	| { readonly is: "diff" }
	| { readonly is: "export"; readonly file: string };

export function print(text: string, tone: ChatLine["tone"] = "plain"): Effect {
	return { do: "print", lines: [{ text, tone }] };
}

export function printLines(texts: readonly string[]): Effect {
	return { do: "print", lines: texts.map((text) => ({ text, tone: "plain" })) };
}

export function printError(text: string): Effect {
	return print(text, "bad");
}

export interface Next {
	readonly state: ChatState;
	readonly effects: readonly Effect[];
}

export function next(state: ChatState, ...effects: readonly Effect[]): Next {
	return { state, effects };
}

/** The second step after the first, and the effects of both. */
export function andThen(first: Next, step: (state: ChatState) => Next): Next {
	const second = step(first.state);
	return { state: second.state, effects: [...first.effects, ...second.effects] };
}

/** A person who is typing rests no longer between two letters. */
const REST_MS = 400;

/** The letter that the key is as an answer; undefined when it is none. */
export function answerOf({ now, question }: ChatState, key: Key): string | undefined {
	if (!isByLetter(question) || key.is !== "text") return undefined;
	return now < question.answeredFrom ? undefined : key.text.toLowerCase();
}

/** The question stays: the key was no answer. */
export function unanswered(state: ChatState, key: Key): Next {
	const { question, now } = state;
	if (!isByLetter(question) || key.is !== "text") return next(state);
	return next({ ...state, question: { ...question, answeredFrom: now + REST_MS } });
}

function isByLetter(question: ChatState["question"]): question is Extract<Question, { answeredFrom: number }> {
	return question !== undefined && "answeredFrom" in question;
}
