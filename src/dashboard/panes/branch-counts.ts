/** How many agents below one do what: `●9 ◆6 ↻1 ✓13 ✗6 !2`. */

import { DOINGS, type Doing, type DoingCounts } from "../../core/doing.ts";
import { type Line, type Segment, segment, type Tone } from "../scene/line.ts";
import { MARKS, SILENT_MARK } from "./agent-mark.ts";

/** Where room is short those that are told last here are left out first: trouble is always told. */
const BY_WEIGHT: readonly Doing[] = [
	...(["asking", "failed", "retrying", "paused", "listening", "running", "thinking"] as const),
	...(["queued", "answered", "stopped", "waiting"] as const),
];

/** `silent`: of those that run or think, how many have been quiet for too long. At most `columns` wide. */
export function branchCounts(counts: DoingCounts, silent: number, columns: number): Line {
	const shown = new Set(BY_WEIGHT.filter((doing) => counts[doing] > 0));
	const pieces = () => [
		...DOINGS.filter((doing) => shown.has(doing)).map((doing) => piece(MARKS[doing], counts[doing])),
		...(silent > 0 ? [piece(SILENT_MARK, silent)] : []),
	];
	for (const doing of BY_WEIGHT.toReversed()) {
		if (widthOf(pieces()) <= columns) break;
		shown.delete(doing);
	}
	return pieces().flatMap((one, at) => (at === 0 ? [one] : [segment(" "), one]));
}

/** The worst of what is below, for where there is no room for counts; undefined when all is well. */
export function worstTone(counts: DoingCounts, silent: number): Tone | undefined {
	if (counts.asking > 0) return MARKS.asking.tone;
	if (counts.failed > 0) return MARKS.failed.tone;
	return silent > 0 || counts.retrying > 0 ? "warn" : undefined;
}

function piece({ glyph, tone }: { glyph: string; tone: Tone }, count: number): Segment {
	return segment(`${glyph}${count}`, tone);
}

/** Each of the characters is one column wide. */
function widthOf(pieces: readonly Segment[]): number {
	return pieces.reduce((sum, { text }) => sum + text.length + 1, -1);
}
