/** Earlier lines: Up and Down go through them, Ctrl-R searches them. Pure. */
import { previousCharacter } from "./characters.ts";
import { type Editor, type Pressed, WRITING } from "./editor.ts";
import { refolded, unfolded } from "./folded-paste.ts";
import { edited, OTHER, type Snapshot } from "./text-field.ts";

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

/**
 * The entry before the one that is shown, or behind it; undefined where there is none. What was changed in a line and left is there
 * when one comes back to it.
 */
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

/** Ctrl-R: the newest message that holds what is typed, and older ones with each further Ctrl-R. */
export type Search = Extract<Editor["mode"], { is: "searching" }>;

export function startSearch(editor: Editor): Editor {
	const { text, cursor } = editor;
	const mode: Search = { is: "searching", query: "", at: undefined, isFailing: false, before: { text, cursor } };
	return { ...editor, mode, last: OTHER };
}

/** The next older match, or newer one; with nothing typed, of what was asked for the last time. */
export function searchOn(editor: Editor, search: Search, isOlder: boolean): Pressed {
	const { lastQuery, entries } = editor.history;
	if (search.query === "")
		return lastQuery === "" ? { editor } : found(editor, { ...search, query: lastQuery }, start(entries, isOlder));
	return found(
		editor,
		search,
		search.at === undefined ? start(entries, isOlder) : { from: search.at + (isOlder ? -1 : 1), isOlder },
	);
}

export function searchFurther(editor: Editor, search: Search, typed: string): Pressed {
	const query = search.query + (typed.split("\n")[0] ?? "");
	const from = search.at ?? editor.history.entries.length - 1;
	return found(editor, { ...search, query }, { from, isOlder: true });
}

export function searchWithLess(editor: Editor, search: Search): Pressed {
	const query = search.query.slice(0, previousCharacter(search.query, search.query.length));
	if (query === "")
		return { editor: { ...editor, ...search.before, mode: { ...search, query, at: undefined, isFailing: false } } };
	return found(editor, { ...search, query }, start(editor.history.entries, true));
}

/** The match is the line now. */
export function acceptSearch(editor: Editor, search: Search): Editor {
	const { text, cursor, history } = editor;
	const found = {
		...editor,
		...search.before,
		mode: WRITING,
		history: { ...history, lastQuery: search.query || history.lastQuery },
	};
	if (search.at === undefined) return found;
	const before: Snapshot = search.before;
	const edits =
		before.text === history.entries[history.at] ? history.edits : new Map(history.edits).set(history.at, before);
	return { ...edited(found, { text, cursor }), history: { ...found.history, at: search.at, edits } };
}

export function cancelSearch(editor: Editor, search: Search): Editor {
	return { ...editor, ...search.before, mode: WRITING, last: OTHER };
}

interface Look {
	readonly from: number;
	readonly isOlder: boolean;
}

function start({ length }: readonly string[], isOlder: boolean): Look {
	return { from: isOlder ? length - 1 : 0, isOlder };
}

/** Without a match what was shown stays. */
function found(editor: Editor, search: Search, { from, isOlder }: Look): Pressed {
	const { entries } = editor.history;
	const place = placeIn(search.query);
	const isSame = search.at !== undefined && from !== search.at;
	for (let at = from; at >= 0 && at < entries.length; at += isOlder ? -1 : 1) {
		const entry = entries[at] ?? "";
		const cursor = place(entry);
		if (cursor < 0 || (isSame && entry === editor.text)) continue;
		return { editor: { ...editor, text: entry, cursor, mode: { ...search, at, isFailing: false } } };
	}
	return { editor: { ...editor, mode: { ...search, isFailing: true } }, wish: { is: "bell" } };
}

/** Where a message holds what is looked for; capitals count once there are some in that. */
function placeIn(query: string): (entry: string) => number {
	const isExact = query !== query.toLowerCase();
	return (entry) => {
		const small = entry.toLowerCase();
		const isMapped = !isExact && small.length === entry.length; // `İ` becomes two: places would be others
		return (isMapped ? small : entry).indexOf(query);
	};
}
