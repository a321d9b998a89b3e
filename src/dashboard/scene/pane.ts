/**
 * The seam of the dashboard: a pane is a part of the screen that shows something and answers keys. A new pane is a
 * file in panes/ and a line in the table of panes. All of it is pure: the same scene gives the same lines.
 */
import type { Action, Key, ListedKey } from "./keys.ts";
import type { Line, Size } from "./line.ts";
import type { Scene } from "./scene.ts";
import type { UiState } from "./ui-state.ts";

export interface Pane {
	/** The name by which `UiState` and `Key` refer to the pane. */
	readonly name: string;
	readonly place: Place;
	/** The key that opens the pane and closes it again. A pane without an opener is always shown, or opened by another key. */
	readonly opener?: ListedKey;
	/** While the pane is open, only these keys count. */
	readonly keys?: readonly Key[];
	/** The line above the others. */
	title(scene: Scene, size: Size): Line;
	/** More than `size.rows` lines are left out, and lines that are longer than `size.columns` are cut. */
	lines(scene: Scene, size: Size): Line[];
	/** What the action changes; undefined when it means nothing to this pane. */
	act(action: Action, scene: Scene, size: Size): Step | undefined;
}

/** Left and right are the two sides of the screen. A box lies over them while it is open. The bar is the last two lines. */
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
