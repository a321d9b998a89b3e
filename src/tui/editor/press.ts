/** What a key makes of the editor, and what it asks of others. Pure. */
import { chordOf, type Key } from "../keys/key.ts";
import { browsed, remembered } from "./browsing.ts";
import { capitalized, erased, pasted, recased, transposed, typed, undone, wordsTransposed } from "./changing.ts";
import {
	blankedWordStart,
	lineEnd,
	lineStart,
	nextCharacter,
	previousCharacter,
	wordEnd,
	wordStart,
} from "./characters.ts";
import { acceptChoice, type Choosing, cancelChoice, chooseNext, complete } from "./choosing.ts";
import {
	type Editor,
	type EditorContext,
	edited,
	emptied,
	type LastAct,
	messageOf,
	moved,
	OTHER,
	type Pressed,
	WRITING,
} from "./editor.ts";
import { isLong } from "./folded-paste.ts";
import { movedByRow } from "./moving.ts";
import {
	acceptSearch,
	cancelSearch,
	type Search,
	searchFurther,
	searchOn,
	searchWithLess,
	startSearch,
} from "./searching.ts";

export function press(editor: Editor, key: Key, context: EditorContext): Pressed {
	if (key.is === "focus") return { editor };
	const { mode } = editor;
	switch (mode.is) {
		case "writing":
			return write(editor, key, context);
		case "prefixed":
			return key.is === "key"
				? pressChord({ ...editor, mode: WRITING }, `ctrl-x ${chordOf(key)}`, context)
				: write({ ...editor, mode: WRITING }, key, context);
		case "searching":
			return search(editor, { key, mode }, context);
		case "choosing":
			return choose(editor, { key, mode }, context);
	}
}

type WritingKey = Exclude<Key, { is: "focus" }>;

function write(editor: Editor, key: WritingKey, context: EditorContext): Pressed {
	switch (key.is) {
		case "text":
			return isLong(key.text) ? pasted(editor, key.text, false) : typed(editor, key.text);
		case "paste":
			return pasted(editor, key.text, key.isCut === true);
		case "key":
			return pressChord(editor, chordOf(key), context);
	}
}

function pressChord(editor: Editor, chord: string, context: EditorContext): Pressed {
	if (chord === "enter") return enter(editor, context);
	if (chord === "ctrl-enter") return enterNow(editor, context);
	return boundAct(chord)?.(editor, context) ?? { editor: { ...editor, last: OTHER } };
}

/** A backslash at the end asks for one more line; two of them are a backslash. */
function enter(editor: Editor, { queued }: EditorContext): Pressed {
	const { text, cursor } = editor;
	const isAtEnd = cursor === text.length;
	const [backslashes = ""] = /\\*$/.exec(text.slice(-1_000)) ?? [];
	if (isAtEnd && backslashes.length % 2 === 1)
		return { editor: edited(editor, { text: `${text.slice(0, -1)}\n`, cursor }) };
	return text.trim() === "" ? enterNow(editor, { queued }) : submit(editor, "submit");
}

/** On an empty line the waiting messages are sent, if there are any. */
function enterNow(editor: Editor, { queued }: Pick<EditorContext, "queued">): Pressed {
	if (editor.text.trim() !== "") return submit(editor, "submit_now");
	return queued > 0 ? { editor, wish: { is: "submit_now", text: "" } } : { editor };
}

function submit(editor: Editor, is: "submit" | "submit_now"): Pressed {
	const text = messageOf(editor);
	const { history } = editor;
	const next = { ...editor, history: { ...history, entries: remembered(history.entries, text) } };
	return { editor: emptied(next), wish: { is, text } };
}

interface InMode<Mode> {
	readonly key: WritingKey;
	readonly mode: Mode;
}

function search(editor: Editor, { key, mode }: InMode<Search>, context: EditorContext): Pressed {
	if (key.is !== "key") return searchFurther(editor, mode, key.text);
	switch (chordOf(key)) {
		case "ctrl-r":
		case "up":
			return searchOn(editor, mode, true);
		case "ctrl-s":
		case "down":
			return searchOn(editor, mode, false);
		case "backspace":
		case "ctrl-h":
			return searchWithLess(editor, mode);
		case "ctrl-g":
		case "ctrl-c":
			return { editor: cancelSearch(editor, mode) };
		case "escape":
		case "tab":
			return { editor: acceptSearch(editor, mode) };
	}
	return write(acceptSearch(editor, mode), key, context);
}

function choose(editor: Editor, { key, mode }: InMode<Choosing>, context: EditorContext): Pressed {
	switch (key.is === "key" ? chordOf(key) : undefined) {
		case "tab":
		case "down":
			return { editor: chooseNext(editor, mode, true) };
		case "shift-tab":
		case "up":
			return { editor: chooseNext(editor, mode, false) };
		case "escape":
			return { editor: cancelChoice(editor, mode) };
		case "enter":
			if (mode.selected !== undefined) return { editor: acceptChoice(editor, mode) };
	}
	const isDirectory = mode.selected !== undefined && mode.choices[mode.selected]?.isPartial === true;
	const chosen: Editor = { ...editor, mode: WRITING };
	if (isDirectory && key.is === "text" && key.text === "/") return { editor: chosen };
	return write(chosen, key, context);
}

/** Which key does what: readline's own bindings, as in its emacs mode, and those that a message of several lines needs. Pure. */

type Act = (editor: Editor, context: EditorContext) => Pressed;
/** Where a place is that is looked for from another one. */
type Find = (text: string, at: number) => number;

const BUFFER_START: Find = () => 0;
const BUFFER_END: Find = ({ length }) => length;

const move =
	(find: Find): Act =>
	(editor) => ({ editor: moved(editor, find(editor.text, editor.cursor)) });

const erase =
	(find: Find): Act =>
	(editor) => {
		const [from, to] = ordered(editor.cursor, find(editor.text, editor.cursor));
		return { editor: erased(editor, from, to) };
	};

const kill =
	(find: Find): Act =>
	(editor) => {
		const [from, to] = ordered(editor.cursor, find(editor.text, editor.cursor));
		return { editor: killed(editor, from, to) };
	};

/** A key that has nothing to do rings. */
const change =
	(act: (editor: Editor) => Editor | undefined): Act =>
	(editor) => {
		const next = act(editor);
		return next === undefined ? { editor: { ...editor, last: OTHER }, wish: { is: "bell" } } : { editor: next };
	};

const browse =
	(isUp: boolean): Act =>
	(editor) => {
		const next = browsed(editor, isUp);
		return next === undefined ? { editor, wish: { is: "bell" } } : { editor: next };
	};

/** Between rows, and at the first or last one through the history; right after that through the history alone. */
const moveRow =
	(isUp: boolean): Act =>
	(editor, context) => {
		if (isUp && editor.text === "" && context.queued > 0) return { editor, wish: { is: "take_back" } };
		const next = editor.last.is === "browsed" ? undefined : movedByRow(editor, isUp, context.columns);
		return next === undefined ? browse(isUp)(editor, context) : { editor: next };
	};

const newLine: Act = (editor) => typed(editor, "\n", OTHER);

/** A line that is empty already is left. */
const eraseOrLeave: Act = (editor, context) =>
	editor.text === "" ? { editor, wish: { is: "leave" } } : erase(nextCharacter)(editor, context);

const clearOrCancel: Act = (editor) =>
	editor.text === "" ? { editor, wish: { is: "cancel" } } : { editor: edited(editor, { text: "", cursor: 0 }) };

/** At the end of a line its line feed is killed. */
const restOfLine: Find = (text, at) => (lineEnd(text, at) === at ? Math.min(text.length, at + 1) : lineEnd(text, at));
const beginOfLine: Find = (text, at) => (lineStart(text, at) === at ? Math.max(0, at - 1) : lineStart(text, at));
const blanksAround: Act = (editor) => {
	const { text, cursor } = editor;
	const before = /[ \t]*$/.exec(text.slice(lineStart(text, cursor), cursor))?.[0].length ?? 0;
	const behind = /^[ \t]*/.exec(text.slice(cursor, lineEnd(text, cursor)))?.[0].length ?? 0;
	return { editor: erased(editor, cursor - before, cursor + behind) };
};

const ACTS: readonly (readonly [chords: readonly string[], act: Act])[] = [
	[["left", "ctrl-b"], move(previousCharacter)],
	[["right", "ctrl-f"], move(nextCharacter)],
	[["alt-b", "ctrl-left", "alt-left"], move(wordStart)],
	[["alt-f", "ctrl-right", "alt-right"], move(wordEnd)],
	[["home", "ctrl-a"], move(lineStart)],
	[["end", "ctrl-e"], move(lineEnd)],
	[["ctrl-home", "alt-<"], move(BUFFER_START)],
	[["ctrl-end", "alt->"], move(BUFFER_END)],
	[["up", "ctrl-p"], moveRow(true)],
	[["down", "ctrl-n"], moveRow(false)],
	[["ctrl-up", "alt-up", "alt-p"], browse(true)],
	[["ctrl-down", "alt-down", "alt-n"], browse(false)],
	[["backspace", "ctrl-h"], erase(previousCharacter)],
	[["delete"], erase(nextCharacter)],
	[["ctrl-d"], eraseOrLeave],
	[["ctrl-k"], kill(restOfLine)],
	[["ctrl-u"], kill(beginOfLine)],
	[["ctrl-w"], kill(blankedWordStart)],
	[["alt-backspace", "ctrl-backspace", "ctrl-alt-h"], kill(wordStart)],
	[["alt-d", "alt-delete", "ctrl-delete"], kill(wordEnd)],
	[["ctrl-y"], change(yanked)],
	[["alt-y"], change(yankedEarlier)],
	[["ctrl-_", "ctrl-/", "ctrl-shift--", "ctrl-x ctrl-u"], change(undone)],
	[["ctrl-t"], change(transposed)],
	[["alt-t"], change(wordsTransposed)],
	[["alt-u"], (editor) => ({ editor: recased(editor, (word) => word.toUpperCase()) })],
	[["alt-l"], (editor) => ({ editor: recased(editor, (word) => word.toLowerCase()) })],
	[["alt-c"], (editor) => ({ editor: recased(editor, capitalized) })],
	[["alt-\\"], blanksAround],
	[["ctrl-j", "ctrl-alt-j", "alt-enter", "shift-enter", "alt-shift-enter"], newLine],
	[["tab"], complete],
	[["ctrl-r", "ctrl-s"], (editor) => ({ editor: startSearch(editor) })],
	[["ctrl-x"], (editor) => ({ editor: { ...editor, mode: { is: "prefixed" } } })],
	[["ctrl-g", "ctrl-x ctrl-e"], (editor) => ({ editor, wish: { is: "open_editor" } })],
	[["ctrl-l"], (editor) => ({ editor, wish: { is: "redraw" } })],
	[["ctrl-z"], (editor) => ({ editor, wish: { is: "suspend" } })],
	[["ctrl-c"], clearOrCancel],
	[["escape"], (editor) => ({ editor, wish: { is: "interrupt" } })],
];

const BY_CHORD: ReadonlyMap<string, Act> = new Map(
	ACTS.flatMap(([chords, act]) => chords.map((chord) => [chord, act])),
);

/**
 * Undefined for a key without a meaning. With Shift a key does what it does without, unless it has a meaning of its own; but
 * not a letter with Ctrl: Ctrl-Shift-C copies in many terminals.
 */
function boundAct(chord: string): Act | undefined {
	return BY_CHORD.get(chord) ?? (/^ctrl-shift-.$/.test(chord) ? undefined : BY_CHORD.get(chord.replace("shift-", "")));
}

function ordered(a: number, b: number): readonly [number, number] {
	return a < b ? [a, b] : [b, a];
}

/** The kill ring: what is cut out by one key can be put in by another. Pure. */

const MOST_KILLS = 30;
const KILLED: LastAct = { is: "killed" };

/** Cuts out what stands between two places. What is killed in a row is one piece. */
function killed(editor: Editor, from: number, to: number): Editor {
	if (from === to) return { ...editor, last: editor.last.is === "killed" ? KILLED : { is: "other" } };
	const { text, cursor, kills, last } = editor;
	const piece = text.slice(from, to);
	const newest = last.is === "killed" ? kills.at(-1) : undefined;
	const joined = newest === undefined ? piece : from < cursor ? piece + newest : newest + piece;
	const others = newest === undefined ? kills : kills.slice(0, -1);
	const next = edited(editor, { text: text.slice(0, from) + text.slice(to), cursor: from }, KILLED);
	return { ...next, kills: [...others, joined].slice(-MOST_KILLS) };
}

/** Puts the newest kill in. Undefined when nothing was killed. */
function yanked(editor: Editor): Editor | undefined {
	return yankedAt(editor, editor.cursor, editor.kills.length - 1);
}

/** Puts the kill before the one that was just put in into its place. Undefined after any other key than a yank. */
function yankedEarlier(editor: Editor): Editor | undefined {
	const { last, kills } = editor;
	return last.is === "yanked" ? yankedAt(editor, last.from, (last.at + kills.length - 1) % kills.length) : undefined;
}

function yankedAt(editor: Editor, from: number, at: number): Editor | undefined {
	const { text, cursor, kills } = editor;
	const piece = kills[at];
	if (piece === undefined) return undefined;
	const next = { text: text.slice(0, from) + piece + text.slice(cursor), cursor: from + piece.length };
	return edited(editor, next, { is: "yanked", from, at });
}
