/** The state of the dashboard at one moment: what panes show, and what keys act on. */
import type { RunEvent } from "../../core/run-event.ts";
import type { RunState } from "../../core/run-state.ts";
import type { Activity } from "./activity.ts";
import type { AgentHistory } from "./agent-history.ts";
import type { Asks } from "./asks.ts";
import type { ListedKey } from "./keys.ts";
import type { Size } from "./line.ts";
import { type Children, childrenOf, type TreeRow, treeRows } from "./tree-rows.ts";
import type { UiState } from "./ui-state.ts";

export interface Picture {
	readonly run: RunState;
	readonly ui: UiState;
	/** The history of the selected agent. */
	readonly history: AgentHistory;
	/** The newest events of the run, in order. */
	readonly events: readonly RunEvent[];
	/** What the person has asked the run for; absent: nothing. */
	readonly asks?: Asks;
	readonly activity: Activity;
	/** The person has asked for the end of the run. */
	readonly isStopAsked?: boolean;
	/** The supervisor is gone. */
	readonly isLost: boolean;
	/** The supervisor lives, but was stopped by a signal. */
	readonly isSuspended?: boolean;
	/** The size of the whole screen. */
	readonly size: Size;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/** A picture, and what several panes read from it. */
export interface Scene extends Picture {
	readonly children: Children;
	/** The agents that are not folded away. */
	readonly rows: readonly TreeRow[];
	/** The run has ended, or its supervisor is gone, or it was asked to stop: leaving needs no question. */
	readonly isRunOver: boolean;
	/** Every key, for the help and for the hints. */
	readonly keys: readonly ListedKey[];
}

export function sceneOf(picture: Picture, keys: readonly ListedKey[]): Scene {
	const { run, ui, isLost, isStopAsked = false } = picture;
	const children = childrenOf(run);
	const rows = treeRows(run, children, ui.folded);
	return { ...picture, children, rows, isRunOver: isLost || isStopAsked || run.ended !== undefined, keys };
}
