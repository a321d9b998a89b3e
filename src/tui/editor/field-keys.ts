/** What the keys of a line editor make of a text: readline's own bindings, as in its emacs mode. Pure. */
import { cleanText } from "../../text/safe/terminal-safe.ts";
import { chordOf, type TypedKey } from "../keys/key.ts";
import {
	blankedWordStart,
	edited,
	inserted,
	type LastAct,
	lineEnd,
	lineStart,
	moved,
	nextCharacter,
	OTHER,
	previousCharacter,
	type TextField,
	wordEnd,
	wordStart,
} from "./text-field.ts";
import { movedByRow } from "./text-rows.ts";

/** Of a text with lines, and of one in a single line, of which a find makes a pattern: no engine takes one of any length. */
const MOST_CHARACTERS = 20_000;
const MOST_IN_ONE_LINE = 1_000;

interface FieldRules {
	readonly hasLines?: boolean;
	/** Of the terminal: Up and Down go from row to row. */
	readonly columns?: number;
}

/** A key or a paste in a field of a form. One that edits nothing changes nothing; text is put in as far as there is room for it. */
export function typeInto<F extends TextField>(field: F, key: TypedKey, rules: FieldRules = {}): F {
	const { hasLines = false, columns = MOST_CHARACTERS } = rules;
	if (key.is === "key" && !(hasLines && isNewLine(key))) return editOf(chordOf(key))?.(field, columns) ?? field;
	const text = key.is === "key" ? "\n" : cleanText(key.text);
	const put = hasLines ? text : text.replace(/^\n+|\n+$/g, "").replace(/[\n\t]+/g, " ");
	const room = Math.max(0, (hasLines ? MOST_CHARACTERS : MOST_IN_ONE_LINE) - field.text.length);
	return inserted(field, put.slice(0, room));
}

const NEW_LINE = new Set(["ctrl-j", "ctrl-alt-j", "alt-enter", "shift-enter", "alt-shift-enter"]);

/** Enter submits, so that a further line needs another key. */
export function isNewLine(key: Extract<TypedKey, { is: "key" }>): boolean {
	return NEW_LINE.has(chordOf(key));
}

/** Returns undefined where it has nothing to do. */
export type Edit = <F extends TextField>(field: F, columns: number) => F | undefined;

export function editOf(chord: string): Edit | undefined {
	return boundTo(EDITS, chord);
}

/**
 * With Shift a key does what it does without, unless it has a meaning of its own; but not a letter with Ctrl: Ctrl-Shift-C copies in
 * many terminals.
 */
export function boundTo<Act>(acts: ReadonlyMap<string, Act>, chord: string): Act | undefined {
	return acts.get(chord) ?? (/^ctrl-shift-.$/.test(chord) ? undefined : acts.get(chord.replace("shift-", "")));
}

export function byChord<Act>(
	acts: readonly (readonly [chords: readonly string[], act: Act])[],
): ReadonlyMap<string, Act> {
	return new Map(acts.flatMap(([chords, act]) => chords.map((chord) => [chord, act] as const)));
}

/** Where a place is that is looked for from another one. */
type Find = (text: string, at: number) => number;

const TEXT_START: Find = () => 0;
const TEXT_END: Find = ({ length }) => length;
/** At the end of a line its line feed is killed. */
const restOfLine: Find = (text, at) => (lineEnd(text, at) === at ? Math.min(text.length, at + 1) : lineEnd(text, at));
const beginOfLine: Find = (text, at) => (lineStart(text, at) === at ? Math.max(0, at - 1) : lineStart(text, at));

const move =
	(find: Find): Edit =>
	(field) =>
		moved(field, find(field.text, field.cursor));

export const erase =
	(find: Find): Edit =>
	(field) =>
		erased(field, ...ordered(field.cursor, find(field.text, field.cursor)));

const kill =
	(find: Find): Edit =>
	(field) =>
		killed(field, ...ordered(field.cursor, find(field.text, field.cursor)));

const recase =
	(change: (word: string) => string): Edit =>
	(field) =>
		recased(field, change);

const EDITS: ReadonlyMap<string, Edit> = byChord<Edit>([
	[["left", "ctrl-b"], move(previousCharacter)],
	[["right", "ctrl-f"], move(nextCharacter)],
	[["alt-b", "ctrl-left", "alt-left"], move(wordStart)],
	[["alt-f", "ctrl-right", "alt-right"], move(wordEnd)],
	[["home", "ctrl-a"], move(lineStart)],
	[["end", "ctrl-e"], move(lineEnd)],
	[["ctrl-home", "alt-<"], move(TEXT_START)],
	[["ctrl-end", "alt->"], move(TEXT_END)],
	[["up", "ctrl-p"], (field, columns) => movedByRow(field, true, columns)],
	[["down", "ctrl-n"], (field, columns) => movedByRow(field, false, columns)],
	[["backspace", "ctrl-h"], erase(previousCharacter)],
	[["delete", "ctrl-d"], erase(nextCharacter)],
	[["ctrl-k"], kill(restOfLine)],
	[["ctrl-u"], kill(beginOfLine)],
	[["ctrl-w"], kill(blankedWordStart)],
	[["alt-backspace", "ctrl-backspace", "ctrl-alt-h"], kill(wordStart)],
	[["alt-d", "alt-delete", "ctrl-delete"], kill(wordEnd)],
	[["ctrl-y"], yanked],
	[["alt-y"], yankedEarlier],
	[["ctrl-_", "ctrl-/", "ctrl-shift--", "ctrl-x ctrl-u"], undone],
	[["ctrl-t"], transposed],
	[["alt-t"], wordsTransposed],
	[["alt-u"], recase((word) => word.toUpperCase())],
	[["alt-l"], recase((word) => word.toLowerCase())],
	[["alt-c"], recase(capitalized)],
	[["alt-\\"], withoutBlanksAround],
]);

function ordered(a: number, b: number): readonly [number, number] {
	return a < b ? [a, b] : [b, a];
}

function erased<F extends TextField>(field: F, from: number, to: number): F {
	if (from === to) return { ...field, last: OTHER };
	return edited(field, { text: field.text.slice(0, from) + field.text.slice(to), cursor: from });
}

function undone<F extends TextField>(field: F): F | undefined {
	const before = field.past.at(-1);
	return before && { ...field, ...before, past: field.past.slice(0, -1), last: OTHER };
}

function transposed<F extends TextField>(field: F): F | undefined {
	const { text, cursor } = field;
	const isAtEnd = cursor === lineEnd(text, cursor);
	const middle = isAtEnd ? previousCharacter(text, cursor) : cursor;
	const [from, to] = [previousCharacter(text, middle), nextCharacter(text, middle)];
	if (from < lineStart(text, cursor) || from === middle || to === middle) return undefined;
	return swapped(field, [from, middle], [middle, to]);
}

function wordsTransposed<F extends TextField>(field: F): F | undefined {
	const { text, cursor } = field;
	const to = wordEnd(text, cursor);
	const second = wordStart(text, to);
	const first = wordStart(text, second);
	const firstEnd = wordEnd(text, first);
	if (first === second || firstEnd > second) return undefined;
	return swapped(field, [first, firstEnd], [second, wordEnd(text, second)]);
}

function swapped<F extends TextField>(field: F, [a, b]: [number, number], [c, d]: [number, number]): F {
	const { text } = field;
	const next = text.slice(0, a) + text.slice(c, d) + text.slice(b, c) + text.slice(a, b) + text.slice(d);
	return edited(field, { text: next, cursor: d });
}

/** Changes the rest of the word at the cursor, or the next word, and moves behind it. */
function recased<F extends TextField>(field: F, change: (word: string) => string): F {
	const { text, cursor } = field;
	const to = wordEnd(text, cursor);
	const word = change(text.slice(cursor, to));
	return edited(field, { text: text.slice(0, cursor) + word + text.slice(to), cursor: cursor + word.length });
}

function capitalized(word: string): string {
	return word.toLowerCase().replace(/\p{L}/u, (letter) => letter.toUpperCase());
}

function withoutBlanksAround<F extends TextField>(field: F): F {
	const { text, cursor } = field;
	const before = /[ \t]*$/.exec(text.slice(lineStart(text, cursor), cursor))?.[0].length ?? 0;
	const behind = /^[ \t]*/.exec(text.slice(cursor, lineEnd(text, cursor)))?.[0].length ?? 0;
	return erased(field, cursor - before, cursor + behind);
}

/** The kill ring: what is cut out by one key can be put in by another. */

const MOST_KILLS = 30;
const KILLED: LastAct = { is: "killed" };

/** Cuts out what stands between two places. What is killed in a row is one piece. */
function killed<F extends TextField>(field: F, from: number, to: number): F {
	if (from === to) return { ...field, last: field.last.is === "killed" ? KILLED : OTHER };
	const { text, cursor, kills, last } = field;
	const piece = text.slice(from, to);
	const newest = last.is === "killed" ? kills.at(-1) : undefined;
	const joined = newest === undefined ? piece : from < cursor ? piece + newest : newest + piece;
	const others = newest === undefined ? kills : kills.slice(0, -1);
	const next = edited(field, { text: text.slice(0, from) + text.slice(to), cursor: from }, KILLED);
	return { ...next, kills: [...others, joined].slice(-MOST_KILLS) };
}

function yanked<F extends TextField>(field: F): F | undefined {
	return yankedAt(field, field.cursor, field.kills.length - 1);
}

function yankedEarlier<F extends TextField>(field: F): F | undefined {
	const { last, kills } = field;
	return last.is === "yanked" ? yankedAt(field, last.from, (last.at + kills.length - 1) % kills.length) : undefined;
}

function yankedAt<F extends TextField>(field: F, from: number, at: number): F | undefined {
	const { text, cursor, kills } = field;
	const piece = kills[at];
	if (piece === undefined) return undefined;
	const next = { text: text.slice(0, from) + piece + text.slice(cursor), cursor: from + piece.length };
	return edited(field, next, { is: "yanked", from, at });
}
