/** The question of an agent that the person has turned to in a conversation: it stands in place of the line. Pure. */

import type { RunEvent } from "../../core/run/run-event.ts";
import { EMPTY_RUN } from "../../core/run/run-state.ts";
import { displayWidth, fitWidth } from "../../text/width/width.ts";
import {
	type Answering,
	overNow,
	pressAnswering,
	questionBeside,
	type Scrolling,
	turnedTo,
} from "../../tui/answering/answering.ts";
import { drawPanel, type Panel, panelTitle, type Room } from "../../tui/answering/panel.ts";
import type { Key } from "../../tui/keys/key.ts";
import type { Line } from "../../tui/text/line.ts";
import type { ChatState } from "./chat-state.ts";
import { type Next, next } from "./effect.ts";
import { request } from "./requests.ts";

/** Turns to the oldest question; nothing happens where there is none. */
export function turnToQuestion(state: ChatState): Next {
	const [question] = state.run?.questions ?? [];
	if (question === undefined || state.question !== undefined) return next(state);
	return next({ ...state, question: { is: "answering", answering: turnedTo(question) } });
}

export function pressAnswer(state: ChatState, { answering, key, scrolling }: PressedAnswer): Next {
	if (key.is === "focus" || key.is === "mouse") return next(state);
	const pressed = pressAnswering(answering, key, scrolling);
	switch (pressed.is) {
		case "stay":
			return next({ ...state, question: { is: "answering", answering: pressed.answering } });
		case "back":
			return next({ ...state, question: undefined });
		case "turn": {
			const other = questionBeside(state.run ?? EMPTY_RUN, answering.question.number, pressed.isForward);
			return other === undefined
				? next(state)
				: next({ ...state, question: { is: "answering", answering: turnedTo(other) } });
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
	if (question?.is !== "answering" || run === undefined) return state;
	return { ...state, question: { is: "answering", answering: overNow(question.answering, run, event) } };
}

interface PressedAnswer {
	readonly answering: Answering;
	readonly key: Key;
	readonly scrolling: Scrolling;
}

/** Below its title. The cursor stands where the person writes, else behind the title. */
export function drawAnswering(
	{ run = EMPTY_RUN, now }: Pick<ChatState, "run" | "now">,
	answering: Answering,
	{ columns, rows }: Room,
): Panel & { readonly cursor: NonNullable<Panel["cursor"]> } {
	const title = fitWidth(panelTitle({ answering, run, now }), columns);
	const panel = drawPanel({ answering, run, now }, { columns, rows: Math.max(1, rows - 1) });
	const head: Line = [{ text: title, style: "heading" }];
	const cursor =
		panel.cursor === undefined
			? { row: 0, column: Math.min(columns - 1, displayWidth(title)) }
			: { ...panel.cursor, row: panel.cursor.row + 1 };
	return { ...panel, rows: [head, ...panel.rows], cursor };
}
