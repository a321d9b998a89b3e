/** What the command line gives a chat on a terminal: its options, its run, and what only the command line can do for it. */
import type { Clock } from "../../core/clock.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { HistoryFile } from "../../tui/editor/history-file.ts";
import type { Key } from "../../tui/keys/key.ts";
import type { TerminalOutput } from "../../tui/terminal/modes.ts";
import type { TypeAhead } from "../../tui/terminal/raw-input.ts";
import type { WatcherConnection } from "../../wire/watcher-connection.ts";
import type { ChatFacts, Choice, FoundSessions, LookUp } from "./chat-state.ts";
import type { ChatLine } from "./output/messages.ts";
import type { UndoFound } from "./questions.ts";

export interface ChatOptions {
	readonly input: NodeJS.ReadableStream;
	readonly output: TerminalOutput;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly clock: Clock;
	readonly facts: ChatFacts;
	readonly choice: Choice;
	readonly host: ChatHost;
	readonly opening: Opening;
	/** What the person says first, before they can write. */
	readonly message: string | undefined;
	readonly draft: string | undefined;
	/** What was typed before, and what is while this conversation ends and another one follows. */
	readonly typeAhead: TypeAhead<Key>;
	readonly greeting: readonly ChatLine[];
	readonly history: Pick<HistoryFile, "read" | "append">;
}

export type Opening =
	/** The run begins with the first message. */
	{ readonly is: "new"; readonly picks: Picks | undefined } | { readonly is: "run"; readonly run: OpenRun };

/** The person chooses the chat to resume. */
export interface Picks {
	readonly words: string;
	readonly isFork: boolean;
}

export interface OpenRun {
	readonly directory: string;
	readonly link: Pick<WatcherConnection, "send" | "onMessage" | "onClose">;
	/** It was left running before, and goes on when this terminal is gone. */
	readonly isAttached: boolean;
	/** Called once the conversation hears signals. */
	readonly onListening?: () => void;
	/** What there was to say when it was opened. */
	readonly notices: readonly string[];
}

/** What the command line does for a conversation; it knows which run it is. */
export interface ChatHost {
	/** What would keep the first message from being sent; undefined: nothing that a cheap look shows. */
	obstacle(): Promise<string | undefined>;
	begin(message: string, choice: Choice): Promise<OpenRun>;
	/** The dashboard. Resolves when the person comes back from it; the terminal is its own until then. */
	showTree(selected: AgentId): Promise<void>;
	/** Text for people. Rejects with AgentreeError. `columns`: of the terminal. */
	lookUp(what: LookUp, columns: number): Promise<string>;
	/** Those that can be resumed, the last used first, as rows of at most so many columns. */
	findSessions(words: string, columns: number): FoundSessions;
	findUndo(to: number | undefined): Promise<UndoFound>;
	/** Does what was found last; returns what was done. Rejects with AgentreeError. */
	putBackFiles(): Promise<string>;
	/** An answer of the agent that the person talks with; `back`: how many there are after it. */
	answer(back: number): string | undefined;
	branch(): string | undefined;
	/** Runs the person's own command for notices; false: they have none, and a bell is rung. */
	notify(text: string): boolean;
}
