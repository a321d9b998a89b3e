/**
 * The line at a prompt, as a value: a text field with the history of earlier lines, a search in it, a choice of what completes a word,
 * and long pastes folded. Pure.
 */
import { stripControl } from "../../text/safe/terminal-safe.ts";
import {
	EMPTY_FIELD,
	edited,
	folded,
	hasMark,
	inserted,
	isLong,
	type LastAct,
	OTHER,
	previousCharacter,
	refolded,
	type Snapshot,
	type TextField,
	unfolded,
	withoutMarks,
} from "./text-field.ts";

export interface Editor extends TextField {
	readonly history: History;
	readonly mode: Mode;
}

export interface History {
	readonly entries: readonly string[];
	/** The entry that is shown, and perhaps changed; behind the last one: the line that is being written. */
	readonly at: number;
	/** Lines that were changed and left, by where they stand. */
	readonly edits: ReadonlyMap<number, Snapshot>;
	readonly lastQuery: string;
}

export type Mode =
	| { readonly is: "writing" }
	/** Ctrl-X was pressed, which other keys follow. */
	| { readonly is: "prefixed" }
	/** Ctrl-R. `at`: the entry that is shown, undefined while none is. */
	| {
			readonly is: "searching";
			readonly query: string;
			readonly at: number | undefined;
			readonly isFailing: boolean;
			readonly before: Snapshot;
	  }
	/** Tab. The word that is completed stands between `from` and the cursor. */
	| {
			readonly is: "choosing";
			readonly choices: readonly WrittenChoice[];
			readonly selected: number | undefined;
			readonly from: number;
			readonly typed: string;
	  };

export interface WrittenChoice extends Choice {
	readonly written: string;
}

export interface Choice {
	readonly text: string;
	/** What is listed for it; absent: the text. */
	readonly label?: string;
	/** Said beside it where the choices are listed. */
	readonly note?: string;
	/** More of it can follow, as behind a directory: no blank is put behind it. */
	readonly isPartial?: true;
}

/** What may stand for what was typed so far; each choice is a whole word, in the order in which they are shown. */
export interface Completers {
	/** `typed`: a path without its `@`, and without quotes. */
	paths(typed: string): readonly Choice[];
	/** `typed`: the path of an agent, as far as it was typed. */
	agents(typed: string): readonly Choice[];
	/** `typed`: the name of a slash command, without the slash. */
	commands(typed: string): readonly Choice[];
	/** What may stand behind a slash command, which is named without its slash. */
	argumentsOf(command: string, typed: string): readonly Choice[];
}

export interface EditorContext {
	readonly columns: number;
	/** How many messages of the person wait to be delivered. */
	readonly queued: number;
	readonly completers: Completers;
}

export type EditorEffect =
	| { readonly is: "submit"; readonly text: string }
	/** Send at once, and end the call under way. `text` is empty when only waiting messages are meant. */
	| { readonly is: "submit_now"; readonly text: string }
	/** Take the newest waiting message back; it comes to the editor by `withText`. */
	| { readonly is: "take_back" }
	| { readonly is: "interrupt" }
	| { readonly is: "cancel" }
	| { readonly is: "leave" }
	/** Open `messageOf` in the person's editor; what comes of it goes to the editor by `withText`. */
	| { readonly is: "open_editor" }
	| { readonly is: "redraw" }
	| { readonly is: "bell" }
	| { readonly is: "notice"; readonly text: string };

export interface Pressed {
	readonly editor: Editor;
	readonly effect?: EditorEffect;
}

export const WRITING: Mode = { is: "writing" };

/** Longer text is folded, or refused: each key looks at all of it. */
export const MOST_SHOWN = 100_000;

export function newEditor(entries: readonly string[]): Editor {
	const history: History = { entries: entries.map(safeText), at: entries.length, edits: new Map(), lastQuery: "" };
	return { ...EMPTY_FIELD, mode: WRITING, history };
}

/** The whole message, each folded paste in full. */
export function messageOf({ text, pastes }: Editor): string {
	return unfolded(text, pastes);
}

/** Another text in place of what stands there, which can be undone. Pastes in it are folded as they were. The cursor is at its end. */
export function withText(editor: Editor, text: string): Editor {
	if (text === messageOf(editor)) return { ...editor, mode: WRITING };
	const shown = refolded(safeText(text), editor.pastes);
	const fold = shown.length > MOST_SHOWN ? folded(shown, editor.pastes) : undefined;
	const line = fold?.mark ?? shown;
	const next = edited(editor, { text: line, cursor: line.length });
	return { ...next, mode: WRITING, pastes: fold?.pastes ?? editor.pastes };
}

/** Of files: without what a terminal would obey, and with no character that is a mark. */
function safeText(text: string): string {
	return withoutMarks(stripControl(text));
}

/** Of the pastes of earlier messages: more are forgotten. */
const MOST_KEPT = 16 * 1024 * 1024;

/** An empty line for the next message. What was killed stays, and pastes, so that a message that comes back is folded as it was. */
export function emptied({ kills, pastes, history }: Editor): Editor {
	const empty = newEditor([]);
	const isMuch = pastes.reduce((sum, { text }) => sum + text.length, 0) > MOST_KEPT;
	const kept = isMuch ? { kills: kills.filter((kill) => !hasMark(kill)), pastes: [] } : { kills, pastes };
	return { ...empty, ...kept, history: { ...history, at: history.entries.length, edits: empty.history.edits } };
}

/** Of all folded pastes that undo, or what was cut, may bring back. */
const MOST_FOLDED = 128 * 1024 * 1024;
const TOO_LONG = "the message is too long for the prompt: put it in a file and name it with @";
const IS_CUT = "the paste was cut at 8 MiB: put such text in a file and name it with @";

export function typed(editor: Editor, text: string, last?: LastAct): Pressed {
	if (editor.text.length + text.length > MOST_SHOWN) return { editor, effect: { is: "notice", text: TOO_LONG } };
	return { editor: inserted(editor, withoutMarks(text), last) };
}

/** A paste; a long one is folded. */
export function pasted(editor: Editor, paste: string, isCut: boolean): Pressed {
	const text = withoutMarks(paste);
	const notice = isCut ? { effect: { is: "notice", text: IS_CUT } as const } : {};
	if (!isLong(text)) {
		const pressed = typed(editor, text, OTHER);
		return { ...notice, ...pressed };
	}
	const folding = folded(text, editor.pastes);
	const total = editor.pastes.reduce((sum, one) => sum + one.text.length, text.length);
	if (folding === undefined || total > MOST_FOLDED) return { editor, effect: { is: "notice", text: TOO_LONG } };
	return { editor: { ...inserted(editor, folding.mark, OTHER), pastes: folding.pastes }, ...notice };
}

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

/** The next older match, or newer one; with nothing typed, of the last query. */
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
	return { editor: { ...editor, mode: { ...search, isFailing: true } }, effect: { is: "bell" } };
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
