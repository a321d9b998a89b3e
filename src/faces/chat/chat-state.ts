/** What a conversation knows, beside the line that is being written and what is shown: pure. */

import type { Limits } from "../../core/limits/limits.ts";
import type { Confinement } from "../../core/machine/sandbox.ts";
import { type Agent, type AgentId, isOver, ROOT } from "../../core/model/agent.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { WaitingMessage } from "../../core/schemas/agent.ts";
import type { UserCommand } from "../../project/instructions/user-command.ts";
import type { Answering } from "../../tui/answering/answering.ts";
import type { FromWatcher } from "../../wire/watcher-messages.ts";
import type { CutAt, Then } from "./chat-end.ts";

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
	/** The person's own command that runs here. */
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
	/** The run is being started with its first message. */
	| { readonly is: "beginning"; readonly message: string }
	| { readonly is: "open" }
	/** The run was asked to end, and the conversation ends with it. */
	| { readonly is: "ending"; readonly by: "close" | "stop"; readonly since: number; readonly after: Then | undefined }
	/** The supervisor is gone. */
	| { readonly is: "lost" };

/** What a person is asked; it stands in place of the line. */
export type Question =
	/** Agents are alive: stop them, leave them running, or stay. */
	| ({ readonly is: "leaving"; readonly after: Then | undefined } & ByLetter)
	| Picking
	| (Undoing & ByLetter)
	/** What an agent asks. */
	| { readonly is: "answering"; readonly answering: Answering };

/** A question that a letter answers. */
interface ByLetter {
	/** A letter that comes before was typed for something else. */
	readonly answeredFrom: number;
}

/** Which conversation to go on with. */
export interface Picking {
	readonly is: "picking";
	/** Those that are shown have all of these in them. */
	readonly words: string;
	readonly found: FoundSessions;
	/** The row that Enter takes. */
	readonly at: number;
	/** A copy of it is gone on with. */
	readonly isFork: boolean;
}

export interface FoundSessions {
	readonly header: string;
	/** `run`: as it is named on a command line. */
	readonly rows: readonly { readonly run: string; readonly line: string }[];
}

/** Whether the files are put back as they have been told. */
export interface Undoing {
	readonly is: "undoing";
	/** The message before which they were so; undefined: the conversation cannot be cut there. */
	readonly before: CutAt | undefined;
}

export interface LocalLine {
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

/** What the terminal's user may have missed. */
export interface Attention {
	/** Undefined: the terminal has not told. */
	readonly hasFocus: boolean | undefined;
	/** When the person did something last. */
	readonly actedAt: number;
}

/** What does not change while the conversation goes on. */
export interface ChatFacts {
	/** What `~/` stands for. */
	readonly home: string | undefined;
	/** The working directory, and how it is shown. */
	readonly directory: string;
	readonly shownDirectory: string;
	/** The model that a run begins with. */
	readonly model: string;
	readonly models: readonly string[];
	readonly efforts: readonly string[];
	/** The roles that an agent may have here. */
	readonly roles: readonly { readonly name: string; readonly description: string }[];
	/** Runs have no sandbox, and ask nothing. */
	readonly skipsPermissions?: true;
	/** That of a run to be; absent: none. */
	readonly sandboxMode?: Confinement["mode"];
	/** Commands that files of the user and the project define. */
	readonly commands: readonly UserCommand[];
	/** What lies in the root directory: such a name behind a slash is a path. */
	readonly namesAtRoot: readonly string[];
}

export function rootOf({ run }: ChatState): Agent | undefined {
	return run?.agents[ROOT];
}

/**
 * The process of the agent that the person talks with has joined the run. In a run that was just begun, or is gone on with, it
 * does so a moment after the supervisor is there.
 */
export function isThere(state: ChatState): boolean {
	const root = rootOf(state);
	return root !== undefined && !isOver(root);
}

/** A run was just begun, or is gone on with, and its agent is still to come. */
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
