/**
 * The seam of the dashboard: a pane is a part of the screen that shows something and answers keys. A new pane is a
 * file in panes/ and a line in the table of panes. All of it is pure: the same scene gives the same lines.
 */

import type { AgentId } from "../../../core/model/agent.ts";
import type { TypedKey } from "../../../tui/keys/key.ts";
import type { Line, Size } from "../../../tui/text/line.ts";
import type { ActRequest, AnswerRequest } from "../../../wire/watcher-messages.ts";
import { type Action, distanceOf, type KeyBinding, type ListedKey } from "./keys.ts";
import type { Scene } from "./scene.ts";
import { opened, type UiState } from "./ui-state.ts";

export interface Pane {
	/** The name by which `UiState` and `KeyBinding` refer to the pane. */
	readonly name: string;
	readonly place: Place;
	/** The key that opens the pane and closes it again. A pane without an opener is always shown, or opened by another key. */
	readonly opener?: ListedKey;
	/** While the pane is open, these keys count before all others. */
	readonly ownKeys?: readonly KeyBinding[];
	/** While the pane is open, only these keys count. */
	readonly keys?: readonly KeyBinding[];
	/**
	 * A question to the person: what was typed before it was drawn is no answer, since nobody can have read it. The end of
	 * the run closes it.
	 */
	readonly isQuestion?: true;
	/** What the opener does; without it, it opens the pane. */
	opening?(scene: Scene): Step;
	/** The line above the others; `room`: columns that it has beside the edge that it stands in. */
	title(scene: Scene, size: Size, room: number): Line;
	/** More than `size.rows` lines are left out, and lines that are longer than `size.columns` are cut. */
	lines(scene: Scene, size: Size): Line[];
	/** Set for a pane that takes a line of text: while it is open, keys that print are typed into it. */
	readonly takes?: TextTaker;
	/** Set for a pane that knows keys of its own: while it is open, it gets all keys, and what is pasted. */
	press?(key: TypedKey, scene: Scene, size: Size): Step;
	/** What the action changes; undefined when it means nothing to this pane. */
	act(action: Action, scene: Scene, size: Size): Step | undefined;
	/** What a click on a line of the pane does; the first line has row 0. */
	click?(scene: Scene, size: Size, row: number): Step | undefined;
}

/** Left and right are the two sides of the screen. A box lies over them while it is open. The bar is the last line. */
export type Place =
	| { readonly is: "left" }
	| { readonly is: "right" }
	| { readonly is: "box"; readonly mostColumns: number }
	| { readonly is: "bar" };

export interface TextTaker {
	/** What the text does when it is entered, by the enter key. `about`: the agent that was selected when the line was opened. */
	submit(text: string, scene: Scene, about: AgentId): Step;
	/** Entering the text acts on the run: an enter from before the line was drawn, as in text that was pasted, enters nothing. */
	readonly acts?: true;
	/** The text may have several lines: Ctrl-J begins another one. */
	readonly hasLines?: true;
	/** What the text does already while it is typed. */
	typed?(text: string, scene: Scene): UiState;
	/** What the escape key does; without it, it closes the pane. */
	cancel?(scene: Scene): UiState;
}

export interface Step {
	readonly ui: UiState;
	readonly wish?: Wish;
	/** What the pane that is open then does next, or the side that has the keys. */
	readonly next?: Action;
}

/** What the person wants to be done outside of the picture. */
export type Wish =
	| { readonly is: "close" | "stop_run" | "leave_running" }
	| { readonly is: "redraw" }
	/** Asks the run's supervisor. `about`: the agent as people know it, for what is told of the answer. */
	| { readonly is: "ask"; readonly message: ActRequest | AnswerRequest; readonly about: string }
	| { readonly is: "mouse"; readonly isOn: boolean }
	/** Opens a text in the person's pager: what is given, or the whole output of a command. */
	| { readonly is: "read"; readonly what: Readable }
	/** Puts the agent's answer into the clipboard. */
	| { readonly is: "copy"; readonly agent: AgentId; readonly text: string };

export type Readable =
	/** Safe for a terminal. */
	| { readonly is: "text"; readonly text: string }
	| { readonly is: "output"; readonly agent: AgentId; readonly command: number };

/** A box whose lines may be more than fit. */

/** The lines from the first that is to be seen. */
export function scrolledLines(all: readonly Line[], ui: UiState, { rows }: Size): Line[] {
	return all.slice(topOf(ui, all.length - rows));
}

/** Of what fits whole nothing is scrolled: then the keys choose another agent, which the box shows then. */
export function scrollStep(action: Action, all: readonly Line[], ui: UiState, { rows }: Size): Step | undefined {
	const most = all.length - rows;
	const by = distanceOf(action, { page: rows, half: Math.ceil(rows / 2) });
	if (ui.open.is === "none" || most <= 0 || by === undefined) return undefined;
	return { ui: opened(ui, ui.open.name, Math.max(0, Math.min(most, topOf(ui, most) + by))) };
}

export function isScroll(action: Action): boolean {
	return distanceOf(action, { page: 0, half: 0 }) !== undefined;
}

/** An agent that was selected meanwhile is read from its beginning. */
function topOf({ open, selected }: UiState, most: number): number {
	if (open.is === "none" || open.about !== selected) return 0;
	return Math.max(0, Math.min(open.top, most));
}
