/** The pane that was opened and not drawn yet: nobody can have read it, so what is typed or pasted meanwhile is no answer to it. */
import { nameOf, type PressedKey } from "../../tui/keys/key.ts";
import { openPane } from "./panes.ts";
import type { UiState } from "./scene/ui-state.ts";

export class UnreadPane {
	private open: UiState["open"] | undefined;

	/** After a key. */
	note(before: UiState, after: UiState): void {
		const { open } = after;
		if (open.is === "pane" && !isSame(before.open, open)) this.open = open;
	}

	/** After a frame. What the terminal had sent before it is read first, since that was typed blindly, too. */
	drawn(): void {
		const { open } = this;
		if (open === undefined) return;
		setImmediate(() => {
			if (this.open === open) this.open = undefined;
		});
	}

	/** Whether the key does nothing now. */
	ignores(ui: UiState, key: PressedKey): boolean {
		return this.open !== undefined && isAnswer(ui, nameOf(key));
	}
}

/** The same pane, and what is asked in it is the same. */
function isSame(before: UiState["open"], open: Extract<UiState["open"], { is: "pane" }>): boolean {
	if (before.is === "none" || before.name !== open.name) return false;
	return before.answering?.question.number === open.answering?.question.number;
}

/** Ctrl-C twice ends the run, without a look at the screen. */
function isAnswer(ui: UiState, key: string): boolean {
	const pane = openPane(ui);
	if (pane?.isQuestion) return key !== "ctrl-c";
	return pane?.takes?.acts === true && key === "enter";
}
