/** Keys that change the text, but for those that kill. Pure. */
import { lineEnd, lineStart, nextCharacter, previousCharacter, wordEnd, wordStart } from "./characters.ts";
import { type Editor, edited, type LastAct, MOST_SHOWN, OTHER, type Pressed } from "./editor.ts";
import { folded, isLong, withoutMarks } from "./folded-paste.ts";

/** Of all folded pastes that undo, or what was cut, may bring back. */
const MOST_FOLDED = 128 * 1024 * 1024;
const TOO_LONG = "the message is too long for the prompt: write it into a file, and name the file with @";
const IS_CUT = "the paste was longer than 8 MiB, and is cut there: put such text into a file, and name the file with @";

/** What is typed. */
export function typed(editor: Editor, text: string, last: LastAct = { is: "typed" }): Pressed {
	if (editor.text.length + text.length > MOST_SHOWN) return { editor, wish: { is: "notice", text: TOO_LONG } };
	return { editor: inserted(editor, withoutMarks(text), last) };
}

/** A paste; a long one is folded. */
export function pasted(editor: Editor, paste: string, isCut: boolean): Pressed {
	const text = withoutMarks(paste);
	const notice = isCut ? { wish: { is: "notice", text: IS_CUT } as const } : {};
	if (!isLong(text)) {
		const pressed = typed(editor, text, OTHER);
		return { ...notice, ...pressed };
	}
	const folding = folded(text, editor.pastes);
	const total = editor.pastes.reduce((sum, one) => sum + one.text.length, text.length);
	if (folding === undefined || total > MOST_FOLDED) return { editor, wish: { is: "notice", text: TOO_LONG } };
	return { editor: { ...inserted(editor, folding.mark, OTHER), pastes: folding.pastes }, ...notice };
}

function inserted(editor: Editor, text: string, last: LastAct): Editor {
	const { text: old, cursor } = editor;
	return edited(editor, { text: old.slice(0, cursor) + text + old.slice(cursor), cursor: cursor + text.length }, last);
}

/** Takes out what stands between two places, without a trace in the kill ring. */
export function erased({ ...editor }: Editor, from: number, to: number): Editor {
	if (from === to) return { ...editor, last: OTHER };
	return edited(editor, { text: editor.text.slice(0, from) + editor.text.slice(to), cursor: from });
}

/** The text as it was before the last change. Undefined when there was none. */
export function undone(editor: Editor): Editor | undefined {
	const before = editor.past.at(-1);
	return before && { ...editor, ...before, past: editor.past.slice(0, -1), last: OTHER };
}

/** Swaps the two characters around the cursor, or the last two of a line. Undefined where there are no two. */
export function transposed(editor: Editor): Editor | undefined {
	const { text, cursor } = editor;
	const isAtEnd = cursor === lineEnd(text, cursor);
	const middle = isAtEnd ? previousCharacter(text, cursor) : cursor;
	const [from, to] = [previousCharacter(text, middle), nextCharacter(text, middle)];
	if (from < lineStart(text, cursor) || from === middle || to === middle) return undefined;
	return swapped(editor, [from, middle], [middle, to]);
}

/** Swaps the word before the cursor with the one behind it. Undefined where there are no two. */
export function wordsTransposed(editor: Editor): Editor | undefined {
	const { text, cursor } = editor;
	const to = wordEnd(text, cursor);
	const second = wordStart(text, to);
	const first = wordStart(text, second);
	const firstEnd = wordEnd(text, first);
	if (first === second || firstEnd > second) return undefined;
	return swapped(editor, [first, firstEnd], [second, wordEnd(text, second)]);
}

function swapped(editor: Editor, [a, b]: [number, number], [c, d]: [number, number]): Editor {
	const { text } = editor;
	const next = text.slice(0, a) + text.slice(c, d) + text.slice(b, c) + text.slice(a, b) + text.slice(d);
	return edited(editor, { text: next, cursor: d });
}

/** Changes the rest of the word at the cursor, or the next word, and moves behind it. */
export function recased(editor: Editor, change: (word: string) => string): Editor {
	const { text, cursor } = editor;
	const to = wordEnd(text, cursor);
	const word = change(text.slice(cursor, to));
	return edited(editor, { text: text.slice(0, cursor) + word + text.slice(to), cursor: cursor + word.length });
}

/** The first letter large, the others small. */
export function capitalized(word: string): string {
	return word.toLowerCase().replace(/\p{L}/u, (letter) => letter.toUpperCase());
}
