/** The question of an agent that the person has turned to, with the keys that answer it. It never takes a key for another question. */

import type { Question } from "../../../core/run/questions.ts";
import { characterWidth, displayWidth } from "../../../text/width/width.ts";
import type { TypedKey } from "../../../tui/keys/key.ts";
import { type OpenQuestion, pressOpenQuestion, questionBeside } from "../../../tui/questions/open-question.ts";
import { drawPanel, type Panel, panelTitle } from "../../../tui/questions/panel.ts";
import { questionBannerRows } from "../../../tui/questions/question-banner.ts";
import { type Line, type Size, segment } from "../../../tui/text/line.ts";
import type { GivenAnswer } from "../../../wire/watcher-messages.ts";
import type { Pane, Step } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { ANSWER, answeringOf, closed, turned, withAnswering } from "../scene/ui-state.ts";
import { notice } from "./agent-actions.ts";

export const answerPane: Pane = {
	name: ANSWER,
	place: { is: "box", mostColumns: 100 },
	isQuestion: true,
	opener: {
		...{ action: "open", names: ["r"], opens: ANSWER },
		...{ label: "r", help: "answer an agent's question", hint: "answer" },
	},
	opening: (scene) => {
		const question = questionInFront(scene);
		return question === undefined ? notice(scene, "no open questions") : { ui: turned(scene.ui, question) };
	},
	title: (scene) => {
		const answering = answeringOf(scene.ui);
		return [segment(answering === undefined ? "Question" : panelTitle({ ...scene, open: answering }), "heading")];
	},
	lines: (scene, size) => {
		const answering = answeringOf(scene.ui);
		return answering === undefined ? [] : panelLines(drawPanel({ ...scene, open: answering }, size));
	},
	press: (key, scene, size) => {
		const answering = answeringOf(scene.ui);
		return answering === undefined ? { ui: closed(scene.ui) } : press(answering, key, { scene, size });
	},
	act: (action, scene, size) => {
		const answering = answeringOf(scene.ui);
		if (answering === undefined || answering.writing !== undefined) return undefined;
		return action === "up" || action === "down"
			? scrolled(answering, action === "up" ? -1 : 1, { scene, size })
			: undefined;
	},
};

/** That of the selected agent goes before the oldest one. */
export function questionInFront({ run, ui, isLost }: Pick<Scene, "run" | "ui" | "isLost">): Question | undefined {
	const { questions = [], ended } = run;
	if (ended !== undefined || isLost) return undefined;
	return questions.find(({ agent }) => agent === ui.selected) ?? questions[0];
}

interface Shown {
	readonly scene: Scene;
	readonly size: Size;
}

function press(answering: OpenQuestion, key: TypedKey, { scene, size }: Shown): Step {
	const { ui, run } = scene;
	const { scrolling } = drawPanel({ ...scene, open: answering }, size);
	const pressed = pressOpenQuestion(answering, key, scrolling);
	switch (pressed.is) {
		case "stay":
			return { ui: withAnswering(ui, pressed.open) };
		case "back":
			return { ui: closed(ui) };
		case "turn": {
			const next = questionBeside(run, answering.question.number, pressed.isForward);
			return { ui: next === undefined ? ui : turned(ui, next) };
		}
		case "give":
			return give(scene, pressed.question, pressed.answer);
	}
}

function give({ ui }: Scene, question: number, answer: GivenAnswer): Step {
	const message = { say: "answer", question, answer } as const;
	return { ui: closed(ui), wish: { is: "ask", message, about: `question ${question}` } };
}

/** By the wheel. */
function scrolled(answering: OpenQuestion, by: number, { scene, size }: Shown): Step {
	const { top, most } = drawPanel({ ...scene, open: answering }, size).scrolling;
	const next = { ...answering, top: Math.max(0, Math.min(most, top + by)) };
	return { ui: withAnswering(scene.ui, next) };
}

function panelLines({ rows, cursor }: Panel): Line[] {
	return rows.map((row, at) => (cursor?.row === at ? withCursor(row, cursor.column) : row));
}

/** Characters of what is written are drawn as they are counted. */
function withCursor(row: Line, column: number): Line {
	let left = column;
	const line: Line[number][] = [];
	for (const piece of row) {
		const { before, under, after } = splitAt(piece.text, left);
		if (before !== "") line.push({ ...piece, text: before });
		if (under !== "") line.push({ ...piece, text: under, isSelected: true });
		if (after !== "") line.push({ ...piece, text: after });
		left = under === "" ? left - displayWidth(before) : Number.POSITIVE_INFINITY;
	}
	return left === Number.POSITIVE_INFINITY ? line : [...line, { ...segment(" "), isSelected: true }];
}

function splitAt(text: string, column: number): { before: string; under: string; after: string } {
	let columns = 0;
	let at = 0;
	for (const character of text) {
		if (columns >= column)
			return { before: text.slice(0, at), under: character, after: text.slice(at + character.length) };
		columns += characterWidth(character);
		at += character.length;
	}
	return { before: text, under: "", after: "" };
}

/** The rows above the panes that always tell of an open question of an agent. */

const HINT = "r to answer";

export function questionBannerLines(scene: Scene, { columns, rows }: Size): Line[] {
	const question = questionInFront(scene);
	if (question === undefined || rows < 1) return [];
	return questionBannerRows({ ...scene, question, hint: HINT }, columns, rows);
}
