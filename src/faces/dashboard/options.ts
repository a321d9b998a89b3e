/** What a dashboard is given, and how it ends. */

import type { AgentId } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import type { RunLink } from "../../wire/run-client.ts";

export interface DashboardOptions {
	readonly record: RecordedRun;
	readonly connection: Omit<RunLink, "close">;
	readonly input: NodeJS.ReadableStream;
	readonly output: NodeJS.WritableStream;
	/** The dashboard reads `NO_COLOR` from it. */
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Milliseconds since the epoch. */
	readonly now: () => number;
	/** The dashboard closes by itself when the run has ended, instead of waiting for `q`. */
	readonly closeAtEnd?: boolean;
	/** The dashboard is not the one that started the run: the run goes on when this terminal is gone. */
	readonly isAttached?: boolean;
	/** It is shown over a conversation: leaving it goes back there, and needs no question. */
	readonly isOverConversation?: boolean;
	/** Tells a person who looks elsewhere, instead of a bell. */
	readonly notify?: (text: string) => void;
	/** Called once signals are heard. */
	readonly onListening?: () => void;
	/** The agent that is selected at first; absent: the root. */
	readonly selected?: AgentId;
}

export type HowClosed =
	/** `stopped`: the run was asked to stop, and may not have ended yet. `lost`: the supervisor died. */
	| { readonly by: "run_ended" | "left_running" | "stopped" | "lost" }
	/** An attached dashboard got the signal, or its terminal is gone: that is SIGHUP. */
	| { readonly by: "signal"; readonly signal: number };

/** `run`: the last that was known of it. */
export type DashboardEnd = HowClosed & { readonly run: RunState };
