/** A text that a person writes, as a value: what stands there, where the cursor is, and what was there before. Pure. */
import type { FoldedPaste } from "./folded-paste.ts";

export interface TextField {
	/** What is shown. A private character stands for each folded paste. */
	readonly text: string;
	/** In UTF-16 units; never within a character. */
	readonly cursor: number;
	/** What the marks of folded pastes stand for. */
	readonly pastes: readonly FoldedPaste[];
	/** For undo, the newest last. */
	readonly past: readonly Snapshot[];
	/** What was killed, the newest last. */
	readonly kills: readonly string[];
	/** What the key before did. */
	readonly last: LastAct;
}

export interface Snapshot {
	readonly text: string;
	readonly cursor: number;
}

export type LastAct =
	| { readonly is: "typed" }
	| { readonly is: "killed" }
	/** `at`: which of the kills stands between `from` and the cursor. */
	| { readonly is: "yanked"; readonly from: number; readonly at: number }
	/** `goal`: the column that Up and Down try to keep. */
	| { readonly is: "moved_rows"; readonly goal: number }
	/** Up and Down go on through the history, whatever row the cursor is in. */
	| { readonly is: "browsed" }
	| { readonly is: "other" };

export const OTHER: LastAct = { is: "other" };
export const TYPED: LastAct = { is: "typed" };

export const EMPTY_FIELD: TextField = { text: "", cursor: 0, pastes: [], past: [], kills: [], last: OTHER };

const MOST_SNAPSHOTS = 200;

export function fieldWith(text: string): TextField {
	return { ...EMPTY_FIELD, text, cursor: text.length };
}

/** Another text that undo takes back. What is typed in a row is taken back together, word by word. */
export function edited<F extends TextField>(field: F, next: Snapshot, last: LastAct = OTHER): F {
	const { text, cursor, past } = field;
	const goesOn =
		last.is === "typed" && field.last.is === "typed" && !/\s\S$/.test(next.text.slice(0, next.cursor).slice(-2));
	return { ...field, ...next, last, past: goesOn ? past : [...past, { text, cursor }].slice(-MOST_SNAPSHOTS) };
}

export function moved<F extends TextField>(field: F, cursor: number, last: LastAct = OTHER): F {
	return { ...field, cursor, last };
}

export function inserted<F extends TextField>(field: F, text: string, last: LastAct = TYPED): F {
	const { text: old, cursor } = field;
	return edited(field, { text: old.slice(0, cursor) + text + old.slice(cursor), cursor: cursor + text.length }, last);
}
