/** What a key means while a person is asked something, and what is shown in place of the line: pure. */
import type { Scrolling } from "../../tui/answering/answering.ts";
import type { Key } from "../../tui/keys/key.ts";
import type { Line } from "../../tui/text/line.ts";
import { pressAnswer } from "./answering.ts";
import type { ChatState, Question } from "./chat-state.ts";
import { type Next, next } from "./effect.ts";
import { answerLeaving, leavingQuestion } from "./leaving.ts";
import { shownLine } from "./output/shown-lines.ts";
import { pickingRows, pressPicking } from "./picking.ts";
import { pressUndoing, undoQuestion } from "./undoing.ts";

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
		case "answering":
			return pressAnswer(state, { answering: question.answering, key, scrolling });
	}
}

const NO_SCROLLING: Scrolling = { top: 0, most: 0, page: 1 };

/** The cursor stands at the end of the first row. */
export function questionRows(state: ChatState, question: Exclude<Question, { is: "answering" }>): readonly Line[] {
	switch (question.is) {
		case "leaving":
			return [shownLine(leavingQuestion(state), "warn")];
		case "picking":
			return pickingRows(question);
		case "undoing":
			return [shownLine(undoQuestion(question), "warn")];
	}
}
