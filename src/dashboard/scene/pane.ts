/**
 * The seam of the dashboard: a pane is a part of the screen that shows something and answers keys. A new pane is a
 * file in panes/ and a line in the table of panes. All of it is pure: the same scene gives the same lines.
 */
import type { Action, Key, ListedKey } from "./keys.ts";
import type { Line, Size } from "./line.ts";
import type { Scene } from "./scene.ts";
import type { UiState } from "./ui-state.ts";

export interface Pane {
	/** As the state of the screen names it. */
	readonly name: string;
	readonly place: Place;
	/** The key that opens a pane, and closes it again. Panes without one are always there, or opened by something else. */
	readonly opener?: ListedKey;
	/** While the pane is open these keys alone mean something. */
	readonly keys?: readonly Key[];
	/** The line above the others. */
	title(scene: Scene, size: Size): Line;
	/** What is beyond `size.rows` is left out, and what is beyond `size.columns` is cut. */
	lines(scene: Scene, size: Size): Line[];
	/** What the person chose by a key; undefined when the key means nothing to this pane. */
	act(action: Action, scene: Scene, size: Size): Step | undefined;
}

/** The sides share the screen, a narrow one shows one at a time; a box lies over them; the bar is the end of the screen. */
export type Place =
	| { readonly is: "left" }
	| { readonly is: "right" }
	| { readonly is: "box"; readonly mostColumns: number }
	| { readonly is: "bar" };

export interface Step {
	readonly ui: UiState;
	readonly wish?: Wish;
}

/** What the person wants of the dashboard itself. */
export type Wish = "close" | "stop_run" | "leave_running";
