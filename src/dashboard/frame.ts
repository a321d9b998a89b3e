/**
 * Frames and rules with a title in their upper edge. What has the keys is drawn with heavy lines, so that it is seen
 * without colours, too.
 */
import { fitLine, fitLines, type Line, lineWidth, type Size, segment, type Tone } from "./scene/line.ts";

export interface Frame {
	readonly title: Line;
	/** What lies inside of the frame. */
	readonly inner: Size;
	/** The blanks between the frame and what it holds, at either side. */
	readonly blanks: 0 | 1;
	readonly hasKeys: boolean;
}

/** A frame around exactly `inner.rows` lines. */
export function framed(lines: readonly Line[], { title, inner, blanks, hasKeys }: Frame): Line[] {
	const pieces = hasKeys ? HEAVY : LIGHT;
	const [topLeft, line, topRight, side, bottomLeft, bottomRight] = [...pieces];
	const tone = toneOf(hasKeys);
	const blank = segment(" ".repeat(blanks));
	const width = inner.columns + 2 * blanks;
	return [
		[segment(topLeft ?? "", tone), ...edge(title, width, { line, tone }), segment(topRight ?? "", tone)],
		...fitLines(lines, inner.rows).map((row) => [
			segment(side ?? "", tone),
			...(blanks > 0 ? [blank] : []),
			...fitLine(row, inner.columns),
			...(blanks > 0 ? [blank] : []),
			segment(side ?? "", tone),
		]),
		[segment(`${bottomLeft}${(line ?? "").repeat(width)}${bottomRight}`, tone)],
	];
}

/** A line across the screen with a title in it, and below it exactly `inner.rows` lines. */
export function ruled(lines: readonly Line[], { title, inner, hasKeys }: Omit<Frame, "blanks">): Line[] {
	const line = hasKeys ? "━" : "─";
	const tone = toneOf(hasKeys);
	const rule = [segment(line, tone), ...edge(title, inner.columns - 1, { line, tone })];
	return [rule, ...fitLines(lines, inner.rows).map((row) => fitLine(row, inner.columns))];
}

/** How wide a title in a frame may be: a blank stands at each end of it. */
export function framedTitle({ inner, blanks }: Pick<Frame, "inner" | "blanks">): number {
	return Math.max(0, inner.columns + 2 * blanks - 2);
}

/** How wide a title in a rule may be: before its first blank a piece of the rule stands. */
export function ruledTitle({ columns }: Size): number {
	return Math.max(0, columns - 3);
}

const LIGHT = "┌─┐│└┘";
const HEAVY = "┏━┓┃┗┛";

/** Without the blanks at the end, where the edge goes on. */
function withoutEnd(title: Line): Line {
	const last = title.at(-1);
	if (last === undefined) return title;
	const text = last.text.trimEnd();
	return text === "" ? withoutEnd(title.slice(0, -1)) : [...title.slice(0, -1), { ...last, text }];
}

function toneOf(hasKeys: boolean): Tone {
	return hasKeys ? "busy" : "dim";
}

function edge(title: Line, width: number, { line = "─", tone }: { line: string | undefined; tone: Tone }): Line {
	const titled: Line = [segment(" "), ...withoutEnd(title), segment(" ")];
	const head = lineWidth(titled) > width ? fitLine(titled, Math.max(0, width)) : titled;
	return [...head, segment(line.repeat(Math.max(0, width - lineWidth(head))), tone)];
}
