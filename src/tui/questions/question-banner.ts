/** The banner of open questions while a person does something else: which, of whom, what, and the key that leads there. Pure. */
import type { Question } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { formatElapsed } from "../../text/durations.ts";
import { shownCommand } from "../../text/safe/invisible.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { cleanText } from "../../text/safe/terminal-safe.ts";
import { displayWidth, fitWidth } from "../../text/width/width.ts";
import { whereOf } from "../../view/words/question.ts";
import { type Line, segment } from "../text/line.ts";
import { choicesOf } from "./open-question.ts";
import { askerFirst } from "./panel.ts";

interface BannerOf {
	readonly question: Question;
	readonly run: Pick<RunState, "agents" | "questions">;
	readonly now: number;
	readonly hint: string;
}

const INDENT = "   ";
const LEAST_BETWEEN = 4;

/** One row, or two: the second has what is asked. What does not fit is cut with a mark. */
export function questionBannerRows({ question, run, now, hint }: BannerOf, columns: number, mostRows: number): Line[] {
	const others = (run.questions ?? []).length - 1;
	const asked = `${whereInLine(question)}${askedInLine(question)}`;
	if (mostRows < 2) {
		const end = `${others > 0 ? ` +${others}` : ""} ${hint} `;
		return [oneRow({ mark: ` ? ${question.number} `, text: ` ${question.agent} ${asked}`, end }, columns)];
	}
	const more = others > 0 ? `, ${others} more` : "";
	const end = `  ${formatElapsed(now - question.at)}${more}  ${hint} `;
	const mark = ` ? question ${question.number} `;
	const first = oneRow({ mark, text: ` ${askerFirst(run, question)}`, end }, columns);
	return [first, askedRow(`${INDENT}${asked}`, INDENT.length + whereInLine(question).length, columns)];
}

function askedRow(text: string, marked: number, columns: number): Line {
	const fitting = fitWidth(text, columns);
	return [segment(fitting.slice(0, marked), "bad"), segment(fitting.slice(marked))];
}

/** `OUTSIDE the sandbox, as you: `; empty for what is not. */
function whereInLine({ what }: Question): string {
	return what.is === "outside" ? `${cleanText(whereOf(what))}: ` : "";
}

/** `$ git push ⏎ npm publish  (the rule Bash(git push))`, `which port? (80, 8080)` */
function askedInLine(question: Question): string {
	const { what } = question;
	switch (what.is) {
		case "command":
			return `$ ${inLine(what.command)}  (${inLine(what.because)})`;
		case "outside":
			return `$ ${inLine(what.command)}`;
		case "words": {
			const choices = choicesOf(question).map(inLine).join(", ");
			return `${inLine(what.text)}${choices === "" ? "" : ` (${choices})`}`;
		}
	}
}

const MOST_CHARS = 20_000; // a row shows the first of them, and gaps are short there

function inLine(text: string): string {
	const shown = cleanText(shownCommand(redactKnown(text.slice(0, MOST_CHARS))));
	return text.length > MOST_CHARS ? `${shown}…` : shown;
}

/** The mark and the key stay; what is between is cut. */
function oneRow({ mark, text, end }: { mark: string; text: string; end: string }, columns: number): Line {
	const room = columns - displayWidth(mark) - displayWidth(end);
	const between = room < LEAST_BETWEEN ? "" : fitWidth(text, room);
	const blanks = " ".repeat(Math.max(0, room - displayWidth(between)));
	return [
		segment(fitWidth(mark, columns), "alert"),
		segment(between),
		segment(fitWidth(blanks + end, Math.max(0, columns - displayWidth(mark + between))), "warn"),
	];
}
