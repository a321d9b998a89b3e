/** The panel of a question that a person has turned to: what is asked, and below it the answers with their keys, which always stay. Pure. */

import type { Question } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { formatElapsed } from "../../text/durations.ts";
import { counted } from "../../text/numbers.ts";
import { displayWidth, fitWidth } from "../../text/width/width.ts";
import { drawField } from "../editor/draw-editor.ts";
import { type Line, type Style, segment } from "../text/line.ts";
import { wrapLine } from "../text/styled-line.ts";
import { answerKeys, choicesOf, stopWords, type Wording } from "./answer-keys.ts";
import type { Answering, Scrolling } from "./answering.ts";
import { askedRows, visible } from "./asked-rows.ts";

export interface PanelOf {
	readonly answering: Answering;
	readonly run: Pick<RunState, "agents" | "questions" | "isConversation">;
	readonly now: number;
}

export interface Room {
	readonly columns: number;
	readonly rows: number;
}

export interface Panel {
	/** At most as many as there is room for, of at most so many columns. */
	readonly rows: readonly Line[];
	/** Where the person writes. */
	readonly cursor: { readonly row: number; readonly column: number } | undefined;
	readonly scrolling: Scrolling;
}

/** `Question 3 of agent 1.2 waits 12s, and 2 more` */
export function panelTitle({ answering: { question, outcome }, run, now }: PanelOf): string {
	const more = othersThan(question, run);
	const waits = outcome === undefined ? `, waiting ${formatElapsed(now - question.at)}` : "";
	return `Question ${question.number} of agent ${question.agent}${waits}${more === 0 ? "" : ` (${more} more)`}`;
}

const EMPTY: Line = [];
/** One of what is asked, and one that says how much more there is. */
const LEAST_ASKED_ROWS = 2;

export function drawPanel({ answering, run }: PanelOf, { columns, rows: most }: Room): Panel {
	const { question, at } = answering;
	const spacious = askedRows({ question, run, at }, columns, false);
	const least = belowOf(answering, run, { columns, rows: 1 }).rows.length;
	const isTight = spacious.rows.length + 1 + least > most;
	const asked = isTight ? askedRows({ question, run, at }, columns, true) : spacious;
	const below = belowOf(answering, run, { columns, rows: most - asked.rows.length });
	const gap = isTight ? [] : [EMPTY];
	const count = Math.min(below.rows.length, Math.max(1, most - LEAST_ASKED_ROWS));
	const from = below.cursor === undefined ? 0 : Math.min(below.rows.length - count, below.cursor.row);
	const kept = below.rows.slice(from, from + count);
	const room = Math.max(0, most - kept.length - gap.length);
	const { shown, scrolling } = window(asked.rows, { room, columns, top: answering.top, marked: asked.marked });
	const above = [...shown, ...gap];
	const cursor = below.cursor && { ...below.cursor, row: above.length + below.cursor.row - from };
	return { rows: [...above, ...kept], cursor, scrolling };
}

interface Window {
	readonly room: number;
	readonly columns: number;
	readonly top: number | undefined;
	readonly marked: readonly [number, number] | undefined;
}

/** As much as there is room for. What is left out is told in the last row. */
function window(
	rows: readonly Line[],
	{ room, columns, top, marked }: Window,
): { shown: readonly Line[]; scrolling: Scrolling } {
	if (rows.length <= room) return { shown: rows, scrolling: { top: 0, most: 0, page: room } };
	const page = Math.max(1, room - 1);
	const most = rows.length - page;
	const wished = top ?? (marked === undefined ? 0 : Math.max(0, marked[1] - page));
	const from = Math.max(0, Math.min(most, wished));
	const left = rows.length - from - page;
	const told = [...(left > 0 ? [`↓ ${counted(left, "more row")}`] : []), ...(from > 0 ? [`↑ ${from} above`] : [])];
	const text = `${told.join(", ")}: ${marked === undefined ? "↑↓ " : ""}PgUp PgDn`;
	const last = cut(text, "warn", columns);
	const shown = room < 2 ? rows.slice(from, from + room) : [...rows.slice(from, from + page), last];
	return { shown, scrolling: { top: from, most, page } };
}

interface Below {
	readonly rows: readonly Line[];
	readonly cursor?: { readonly row: number; readonly column: number };
}

const MOST_WRITTEN_ROWS = 5;

/** `room`: of the rows that what is asked leaves: where there are enough, each answer has one. */
function belowOf(answering: Answering, run: PanelOf["run"], room: Room): Below {
	const { writing, outcome } = answering;
	const others = othersThan(answering.question, run);
	if (outcome !== undefined) {
		const next = others === 0 ? "" : " · Tab for the next question";
		return { rows: wrapped(`${visible(outcome)}. Esc to close${next}`, "warn", room.columns) };
	}
	if (writing === undefined) return { rows: keyRows(answering, run, room) };
	const { rows, cursor } = drawField(writing.entry, { columns: room.columns, mostRows: MOST_WRITTEN_ROWS });
	const head = [
		...wrapped(writingLabel(writing.as, answering, run), "heading", room.columns),
		...(writing.trouble === undefined ? [] : wrapped(writing.trouble, "bad", room.columns)),
	];
	return { rows: [...head, ...rows], cursor: { ...cursor, row: head.length + cursor.row } };
}

function othersThan({ number }: Question, { questions = [] }: PanelOf["run"]): number {
	return questions.filter((other) => other.number !== number).length;
}

function writingLabel(as: Wording, { question: { agent } }: Answering, run: PanelOf["run"]): string {
	switch (as) {
		case "no":
			return "No, with an optional reason (Enter to send, Esc to go back)";
		case "stop":
			return `No, and ${stopWords(agent, run)}, with an optional reason (Enter to stop, Esc to go back)`;
		case "words":
			return "Your answer (Enter to send, Esc to go back)";
	}
}

interface KeyOf {
	readonly key: string;
	readonly long: string;
	readonly short: string;
}

function keyRows({ question }: Answering, run: PanelOf["run"], { columns, rows }: Room): Line[] {
	const others = othersThan(question, run);
	const choices = choicesOf(question).length;
	const keys: KeyOf[] = [
		...(choices === 0
			? []
			: [{ key: `1-${Math.min(9, choices)}`, long: "or ↑↓ and Enter to choose", short: "or ↑↓ Enter" }]),
		...answerKeys(question, run).map(({ key, does, short }) => ({ key, long: does, short: visible(short) })),
		{ key: "Esc", long: "later", short: "later" },
		...(others === 0 ? [] : [{ key: "Tab", long: "next question", short: "next" }]),
	];
	const listed = keys.map(({ key, long }) => ({ key: `${key.padEnd(4)} `, long }));
	if (keys.length + 1 <= rows && listed.every(({ key, long }) => key.length + long.length <= columns))
		return listed.map(({ key, long }) => keyRow(key, long));
	return packed(
		keys.map(({ key, short }) => `${key} ${short}`),
		columns,
	);
}

function keyRow(key: string, does: string): Line {
	return [segment(key, "strong"), segment(does)];
}

/** As many as fit in a row, none broken. */
function packed(words: readonly string[], columns: number): Line[] {
	const rows: string[] = [];
	for (const word of words) {
		const before = rows.at(-1);
		const joined = before === undefined ? word : `${before}  ${word}`;
		if (before !== undefined && displayWidth(joined) <= columns) rows[rows.length - 1] = joined;
		else rows.push(word);
	}
	return rows.map((text) => [segment(fitWidth(text, columns), "strong")]);
}

function wrapped(text: string, style: Style, columns: number): Line[] {
	return wrapLine({ parts: [{ text, style, from: 0 }], hang: 0, from: 0 }, columns);
}

function cut(text: string, style: Style, columns: number): Line {
	return wrapped(text, style, columns)[0] ?? EMPTY;
}
