/** The kill ring: what is cut out by one key can be put in by another. Pure. */
import { type Editor, edited, type LastAct } from "./editor.ts";

const MOST_KILLS = 30;
const KILLED: LastAct = { is: "killed" };

/** Cuts out what stands between two places. What is killed in a row is one piece. */
export function killed(editor: Editor, from: number, to: number): Editor {
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
export function yanked(editor: Editor): Editor | undefined {
	return yankedAt(editor, editor.cursor, editor.kills.length - 1);
}

/** Puts the kill before the one that was just put in into its place. Undefined after any other key than a yank. */
export function yankedEarlier(editor: Editor): Editor | undefined {
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
