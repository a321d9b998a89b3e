/** The choice of a conversation to go on with: by words, and by a row of the list. Pure. */

import type { Key } from "../../tui/keys/key.ts";
import { type Line, segment, selectLine } from "../../tui/text/line.ts";
import type { ChatState, FoundSessions, Picking } from "./chat-state.ts";
import { complainOf, type Next, next } from "./effect.ts";
import { leave } from "./leaving.ts";
import { shownLine } from "./output/shown-lines.ts";

const MOST_SHOWN = 12;
const PAGE = 10;
const NONE: FoundSessions = { header: "", rows: [] };

/** Asks for the list; `words`: what it is narrowed by at first. */
export function pick(state: ChatState, words: string, isFork: boolean): Next {
	const question: Picking = { is: "picking", words, found: NONE, at: 0, isFork };
	return next({ ...state, question }, { do: "find_sessions", words });
}

export function sessionsFound(state: ChatState, words: string, found: FoundSessions): Next {
	const { question } = state;
	if (question?.is !== "picking" || question.words !== words) return next(state);
	if (found.rows.length === 0 && words === "")
		return next({ ...state, question: undefined }, complainOf("no other chats"));
	return next({ ...state, question: { ...question, found, at: 0 } });
}

export function pressPicking(state: ChatState, picking: Picking, key: Key): Next {
	const { words, at, found, isFork } = picking;
	const goTo = (row: number) => {
		const last = Math.max(0, found.rows.length - 1);
		return next({ ...state, question: { ...picking, at: Math.max(0, Math.min(last, row)) } });
	};
	const look = (text: string) =>
		next({ ...state, question: { ...picking, words: text } }, { do: "find_sessions", words: text });
	if (key.is === "text") return look(words + key.text);
	if (key.is !== "key") return next(state);
	switch (key.ctrl ? `c-${key.name}` : key.name) {
		case "enter": {
			const chosen = found.rows[at];
			if (chosen === undefined) return next(state);
			return leave({ ...state, question: undefined }, { is: "resume", run: chosen.run, isFork });
		}
		case "backspace":
			return look([...words].slice(0, -1).join(""));
		case "c-u":
			return look("");
		case "up":
		case "c-p":
			return goTo(at - 1);
		case "down":
		case "c-n":
			return goTo(at + 1);
		case "pageup":
			return goTo(at - PAGE);
		case "pagedown":
			return goTo(at + PAGE);
		case "escape":
		case "c-c":
		case "c-d":
			return next({ ...state, question: undefined });
		default:
			return next(state);
	}
}

/** The first row has what was typed; the cursor stands behind that. */
export function pickingRows({ words, found, at, isFork }: Picking): Line[] {
	const from = Math.max(0, Math.min(at - Math.floor(MOST_SHOWN / 2), found.rows.length - MOST_SHOWN));
	const rows = found.rows.slice(from, from + MOST_SHOWN);
	const more = found.rows.length - rows.length;
	return [
		[segment(`${isFork ? "copy" : "go on with"}: `, "dim"), segment(words, "strong")],
		shownLine(`  ${found.rows.length === 0 ? "nothing found" : found.header}`, "dim"),
		...rows.map(({ line }, row) => {
			const isChosen = from + row === at;
			const shown = shownLine(`${isChosen ? "> " : "  "}${line}`);
			return isChosen ? selectLine(shown) : shown;
		}),
		shownLine(`  ${more > 0 ? `${more} more · ` : ""}Type to filter · Enter to open · Esc to cancel`, "dim"),
	];
}
