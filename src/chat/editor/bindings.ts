/** Which key does what: readline's own bindings, as in its emacs mode, and those that a message of several lines needs. Pure. */
import { browsed } from "./browsing.ts";
import { capitalized, erased, recased, transposed, typed, undone, wordsTransposed } from "./changing.ts";
import {
	blankedWordStart,
	lineEnd,
	lineStart,
	nextCharacter,
	previousCharacter,
	wordEnd,
	wordStart,
} from "./characters.ts";
import { complete } from "./choosing.ts";
import { type Editor, type EditorContext, edited, moved, OTHER, type Pressed } from "./editor.ts";
import { killed, yanked, yankedEarlier } from "./killing.ts";
import { movedByRow } from "./moving.ts";
import { startSearch } from "./searching.ts";

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
export function boundAct(chord: string): Act | undefined {
	return BY_CHORD.get(chord) ?? (/^ctrl-shift-.$/.test(chord) ? undefined : BY_CHORD.get(chord.replace("shift-", "")));
}

function ordered(a: number, b: number): readonly [number, number] {
	return a < b ? [a, b] : [b, a];
}
