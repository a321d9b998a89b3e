/** Why an agent has ended, or has not, as lines on a terminal or in a pipe. Pure. */
import { fitWidth } from "../../text/width/width.ts";
import { wrapText } from "../../text/width/wrap.ts";
import type { Paragraph } from "../../view/causes/why.ts";
import type { Paint } from "./paint.ts";

interface WhyLayout {
	readonly paint: Paint;
	/** The width of the terminal; undefined: no line is cut. */
	readonly columns: number | undefined;
}

const INDENT = "  ";
const LEAST_COLUMNS = 20;

export function whyLines(paragraphs: readonly Paragraph[], layout: WhyLayout): string[] {
	return paragraphs.flatMap((paragraph) => linesOf(paragraph, layout));
}

function linesOf(
	{ text, tone, isLine, isIndented, titleLength = 0 }: Paragraph,
	{ paint, columns }: WhyLayout,
): string[] {
	const indent = isIndented ? INDENT : "";
	const whole = `${indent}${text}`;
	if (columns === undefined) return [painted(whole)];
	const room = Math.max(LEAST_COLUMNS, columns);
	if (isLine || text === "") return [painted(fitWidth(whole, room))];
	return wrapText(text, room - indent.length).map((line) => paint.tone(`${indent}${line}`, tone));

	function painted(line: string): string {
		if (titleLength === 0) return paint.tone(line, tone);
		return `${paint.bold(line.slice(0, titleLength))}${line.slice(titleLength)}`;
	}
}
