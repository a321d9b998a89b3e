/** What a key means while a person is asked something, and what is shown in place of the line: pure. */

import { EMPTY_RUN } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { displayWidth, fitWidth } from "../../text/width/width.ts";
import { isRefusal, type Key } from "../../tui/keys/key.ts";
import {
	type OpenQuestion,
	overNow,
	pressOpenQuestion,
	questionBeside,
	type Scrolling,
	turnedTo,
} from "../../tui/questions/open-question.ts";
import { drawPanel, type Panel, panelTitle, type Room } from "../../tui/questions/panel.ts";
import { type Line, segment, selectLine } from "../../tui/text/line.ts";
import {
	andThen,
	answerOf,
	type ChatState,
	type CutAt,
	type FoundSessions,
	isWorking,
	type Next,
	next,
	othersAlive,
	type Picking,
	print,
	printError,
	type Question,
	type Undoing,
	unanswered,
} from "./chat-state.ts";
import { answerLeaving, leave, leavingQuestion } from "./leaving.ts";
import { shownLine } from "./output/shown-lines.ts";
import { request } from "./requests.ts";

/** `scrolling`: of what was drawn last. */
export function pressQuestion(state: ChatState, key: Key, scrolling: Scrolling = NO_SCROLLING): Next {
	const { question } = state;
	switch (question?.is) {
		case undefined:
			return next(state);
		case "leaving":
			return answerLeaving(state, question.after, key);
		case "picking":
			return pressPicking(state, question, key);
		case "undoing":
			return pressUndoing(state, question, key);
		case "agent_question":
			return pressAnswer(state, { open: question.open, key, scrolling });
	}
}

const NO_SCROLLING: Scrolling = { top: 0, most: 0, page: 1 };

/** The cursor stands at the end of the first row. */
export function questionRows(state: ChatState, question: Exclude<Question, { is: "agent_question" }>): readonly Line[] {
	switch (question.is) {
		case "leaving":
			return [shownLine(leavingQuestion(state), "warn")];
		case "picking":
			return pickingRows(question);
		case "undoing":
			return [shownLine(undoQuestion(question), "warn")];
	}
}

/** Turns to the oldest question; nothing happens where there is none. */
export function turnToQuestion(state: ChatState): Next {
	const [question] = state.run?.questions ?? [];
	if (question === undefined || state.question !== undefined) return next(state);
	return next({ ...state, question: { is: "agent_question", open: turnedTo(question) } });
}

function pressAnswer(state: ChatState, { open, key, scrolling }: PressedAnswer): Next {
	if (key.is === "focus" || key.is === "mouse") return next(state);
	const pressed = pressOpenQuestion(open, key, scrolling);
	switch (pressed.is) {
		case "stay":
			return next({ ...state, question: { is: "agent_question", open: pressed.open } });
		case "back":
			return next({ ...state, question: undefined });
		case "turn": {
			const other = questionBeside(state.run ?? EMPTY_RUN, open.question.number, pressed.isForward);
			return other === undefined
				? next(state)
				: next({ ...state, question: { is: "agent_question", open: turnedTo(other) } });
		}
		case "give": {
			const { question, answer } = pressed;
			return request({ ...state, question: undefined }, { say: "answer", question, answer });
		}
	}
}

/** A question that the person has turned to may have been answered elsewhere, or nobody waits for it any more. */
export function withOutcome(state: ChatState, event?: RunEvent): ChatState {
	const { question, run } = state;
	if (question?.is !== "agent_question" || run === undefined) return state;
	return { ...state, question: { is: "agent_question", open: overNow(question.open, run, event) } };
}

interface PressedAnswer {
	readonly open: OpenQuestion;
	readonly key: Key;
	readonly scrolling: Scrolling;
}

/** Below its title. The cursor stands where the person writes, else behind the title. */
export function drawAgentQuestion(
	{ run = EMPTY_RUN, now }: Pick<ChatState, "run" | "now">,
	open: OpenQuestion,
	{ columns, rows }: Room,
): Panel & { readonly cursor: NonNullable<Panel["cursor"]> } {
	const title = fitWidth(panelTitle({ open, run, now }), columns);
	const panel = drawPanel({ open, run, now }, { columns, rows: Math.max(1, rows - 1) });
	const head: Line = [{ text: title, style: "heading" }];
	const cursor =
		panel.cursor === undefined
			? { row: 0, column: Math.min(columns - 1, displayWidth(title)) }
			: { ...panel.cursor, row: panel.cursor.row + 1 };
	return { ...panel, rows: [head, ...panel.rows], cursor };
}

const MOST_SHOWN = 12;
const PAGE = 10;
const NONE: FoundSessions = { header: "", rows: [] };

export function pick(state: ChatState, words: string, isFork: boolean): Next {
	const question: Picking = { is: "picking", words, found: NONE, at: 0, isFork };
	return next({ ...state, question }, { do: "find_sessions", words });
}

export function sessionsFound(state: ChatState, words: string, found: FoundSessions): Next {
	const { question } = state;
	if (question?.is !== "picking" || question.words !== words) return next(state);
	if (found.rows.length === 0 && words === "")
		return next({ ...state, question: undefined }, printError("no other chats"));
	return next({ ...state, question: { ...question, found, at: 0 } });
}

function pressPicking(state: ChatState, picking: Picking, key: Key): Next {
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
		[segment(`${isFork ? "copy" : "resume"}: `, "dim"), segment(words, "strong")],
		shownLine(`  ${found.rows.length === 0 ? "nothing found" : found.header}`, "dim"),
		...rows.map(({ line }, row) => {
			const isChosen = from + row === at;
			const shown = shownLine(`${isChosen ? "> " : "  "}${line}`);
			return isChosen ? selectLine(shown) : shown;
		}),
		shownLine(`  ${more > 0 ? `${more} more · ` : ""}Type to filter · Enter to open · Esc to cancel`, "dim"),
	];
}

export type UndoFound =
	| { readonly is: "nothing"; readonly reason: string }
	| { readonly is: "undo"; readonly text: string; readonly before: CutAt | undefined };

/** `to`: the number of a kept state; undefined: before the newest message since which anything has changed. */
export function lookAtUndo(state: ChatState, to: number | undefined): Next {
	if (isWorking(state) || othersAlive(state) > 0)
		return next(state, printError("agents are working and may write files: stop them first with Esc or /stop"));
	return next(state, { do: "find_undo", to });
}

export function undoFound(state: ChatState, found: UndoFound): Next {
	if (found.is === "nothing") return next(state, print(`nothing to undo: ${found.reason}`, "dim"));
	return next(
		{ ...state, question: { is: "undoing", before: found.before, answeredFrom: state.now } },
		print(found.text),
	);
}

function pressUndoing(state: ChatState, { before }: Undoing, key: Key): Next {
	const answered: ChatState = { ...state, question: undefined };
	if (isRefusal(key)) return next(answered, print("nothing restored", "dim"));
	const name = answerOf(state, key);
	if (name === "f") return next(answered, { do: "put_back_files", cut: undefined });
	if (name === "b" && before !== undefined) return next(answered, { do: "put_back_files", cut: before });
	return unanswered(state, key);
}

/** The files are as they were; the conversation goes on in a copy that ends before the message. */
export function filesPutBack(state: ChatState, text: string, cut: CutAt | undefined): Next {
	if (cut === undefined) return next(state, print(text));
	const after =
		cut.message < 2
			? ({ is: "new", draft: cut.text } as const)
			: ({ is: "resume", run: undefined, isFork: true, cut } as const);
	return andThen(next(state, print(text)), (now) => leave(now, after));
}

function undoQuestion({ before }: Undoing): string {
	const both = before === undefined ? "" : " · b files and conversation";
	return `Restore: f files${both} · Esc cancel`;
}
