/** Up and Down through the history. What was changed in a line and left is there when one comes back to it. Pure. */
import { type Editor, edited, type Snapshot } from "./editor.ts";
import { refolded, unfolded } from "./folded-paste.ts";

/** Further entries are forgotten. */
export const MOST_ENTRIES = 1_000;
/** Longer messages are not kept. */
const MOST_ENTRY_CHARS = 32 * 1024;

/** The history with one more message: not what begins with a blank, and not the same one twice in a row. */
export function remembered(entries: readonly string[], message: string): readonly string[] {
	return isKept(entries, message) ? [...entries, message].slice(-MOST_ENTRIES) : entries;
}

/** Whether a message joins the history. */
export function isKept(entries: readonly string[], message: string): boolean {
	if (message.trim() === "" || /^\s/.test(message) || message.length > MOST_ENTRY_CHARS) return false;
	return entries.at(-1) !== message;
}

/** The entry before the one that is shown, or behind it. Undefined where there is none. */
export function browsed(editor: Editor, isUp: boolean): Editor | undefined {
	const { history, text, cursor } = editor;
	const at = history.at + (isUp ? -1 : 1);
	const shown = lineAt(editor, at);
	if (shown === undefined) return undefined;
	const edits = new Map(history.edits);
	if (unfolded(text, editor.pastes) === history.entries[history.at]) edits.delete(history.at);
	else edits.set(history.at, { text, cursor });
	return { ...edited(editor, shown, { is: "browsed" }), history: { ...history, at, edits } };
}

function lineAt({ history: { entries, edits }, pastes }: Editor, at: number): Snapshot | undefined {
	const edit = edits.get(at);
	if (edit !== undefined) return edit;
	const text = at === entries.length ? "" : entries[at];
	if (text === undefined) return undefined;
	const shown = refolded(text, pastes);
	return { text: shown, cursor: shown.length };
}
