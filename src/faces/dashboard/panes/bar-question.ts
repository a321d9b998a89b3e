/** A question in the bar, with the keys that answer it. */
import { displayWidth, fitWidth } from "../../../text/width/width.ts";
import { type Line, lineWidth, segment } from "../../../tui/text/line.ts";

export interface BarQuestion {
	/** The longest that fits beside the answers is asked. */
	readonly asks: readonly string[];
	/** Long and short ones, such as `s stop`. */
	readonly answers: readonly { readonly long: string; readonly short: string }[];
}

const BETWEEN = "  ";

export function questionLine({ asks, answers }: BarQuestion, columns: number): Line {
	const forms = [answers.map(({ long }) => long), answers.map(({ short }) => short)];
	const lines = asks.flatMap((asked) => forms.map((form) => lineOf(asked, form, BETWEEN)));
	const fitting = lines.find((line) => lineWidth(line) <= columns);
	return fitting ?? cutLine(asks.at(-1) ?? "", forms.at(-1) ?? [], columns);
}

function lineOf(asked: string, answers: readonly string[], between: string): Line {
	return [segment(` ${asked}${between}`, "alert"), segment(`${answers.join(between)} `, "alert")];
}

/** The answers stay visible. */
function cutLine(asked: string, answers: readonly string[], columns: number): Line {
	const room = columns - displayWidth(answers.join(" ")) - 3;
	return lineOf(fitWidth(asked, Math.max(0, room)), answers, " ");
}
