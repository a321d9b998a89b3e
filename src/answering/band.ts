/** The band that tells of open questions while a person does something else: which, of whom, what, and the key that leads there. Pure. */
import type { Question } from "../core/questions.ts";
import type { RunState } from "../core/run-state.ts";
import { formatElapsed } from "../text/durations.ts";
import { whereOf } from "../text/question.ts";
import { redactKnown } from "../text/redact.ts";
import { shownCommand } from "../text/shown-command.ts";
import type { ShownLine } from "../text/styled-line.ts";
import { cleanText } from "../text/terminal-safe.ts";
import { displayWidth, fitWidth } from "../text/width.ts";
import { choicesOf } from "./answer-keys.ts";
import { askerFirst } from "./asker-path.ts";

export interface BandOf {
	readonly question: Question;
	readonly run: Pick<RunState, "agents" | "questions">;
	readonly now: number;
	/** What leads to the answers: `r answers`. */
	readonly hint: string;
}

/** One row, or two: the second has what is asked. What does not fit is cut with a mark. */
export function bandRows({ question, run, now, hint }: BandOf, columns: number, mostRows: number): ShownLine[] {
	const others = (run.questions ?? []).length - 1;
	if (mostRows < 2) {
		const end = `${others > 0 ? ` +${others}` : ""} ${hint} `;
		return [
			oneRow({ mark: ` ? ${question.number} `, text: ` ${question.agent} ${askedInLine(question)}`, end }, columns),
		];
	}
	const more = others > 0 ? `, ${others} more` : "";
	const end = `  ${formatElapsed(now - question.at)}${more}  ${hint} `;
	const mark = ` ? question ${question.number} `;
	const first = oneRow({ mark, text: ` ${askerFirst(run, question.agent)}`, end }, columns);
	const asked = fitWidth(`   ${askedInLine(question)}`, columns);
	return [first, { parts: [{ text: asked, style: "plain" }] }];
}

/** `$ git push ⏎ npm publish  (the rule Bash(git push))`, `which port? (80, 8080)` */
function askedInLine(question: Question): string {
	const { what } = question;
	switch (what.is) {
		case "command":
			return `$ ${inLine(what.command)}  (${inLine(what.because)})`;
		case "outside":
			return `${cleanText(whereOf(what))}: $ ${inLine(what.command)}`;
		case "words": {
			const choices = choicesOf(question).map(inLine).join(", ");
			return `${inLine(what.text)}${choices === "" ? "" : ` (${choices})`}`;
		}
	}
}

const MOST_CHARS = 2_000; // of which one row shows the first

function inLine(text: string): string {
	return cleanText(shownCommand(redactKnown(text.slice(0, MOST_CHARS))));
}

/** The mark and the key stay; what is between is cut. */
function oneRow({ mark, text, end }: { mark: string; text: string; end: string }, columns: number): ShownLine {
	const room = columns - displayWidth(mark) - displayWidth(end);
	const isShort = room < 4;
	const between = isShort ? "" : fitWidth(text, room);
	const blanks = " ".repeat(Math.max(0, room - displayWidth(between)));
	return {
		parts: [
			{ text: fitWidth(mark, columns), style: "selected" },
			{ text: between, style: "plain" },
			{ text: isShort ? "" : blanks + end, style: "warn" },
		],
	};
}
