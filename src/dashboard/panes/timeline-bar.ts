/** What an agent did over time as a bar: a character a moment. Each phase has one of its own, so that no colour is needed. */
import { type Segment, segment, type Tone } from "../scene/line.ts";
import { isEnd, type PhaseSpan } from "../scene/run-phases.ts";
import { type Interval, lengthOf } from "../scene/time-range.ts";

export type Drawn = PhaseSpan["phase"];

export interface Mark {
	readonly character: string;
	readonly tone: Tone;
	/** In the legend. */
	readonly does: string;
	/** Of the time that it took. */
	readonly did: string;
}

/** In the order of the legend. */
export const MARKS: Readonly<Record<Drawn, Mark>> = {
	running: { character: "█", tone: "busy", does: "runs", did: "ran" },
	thinking: { character: "▄", tone: "calm", does: "thinks", did: "thought" },
	waiting: { character: "─", tone: "plain", does: "waits", did: "waited for agents" },
	retrying: { character: "↻", tone: "warn", does: "retry", did: "waited to retry" },
	paused: { character: "‖", tone: "warn", does: "paused", did: "paused" },
	queued: { character: "░", tone: "dim", does: "queued", did: "queued" },
	failed: { character: "✗", tone: "bad", does: "failed", did: "over" },
	answered: { character: "✓", tone: "good", does: "answered", did: "over" },
	unknown: { character: "·", tone: "dim", does: "not known", did: "not known" },
};

/** Of each moment what the agent did most of it; undefined where it was not there. An end is always seen. */
export function barCells(spans: readonly PhaseSpan[], shown: Interval, columns: number): (Drawn | undefined)[] {
	const cells = Array.from({ length: columns }, () => new Map<Drawn, number>());
	const columnMs = Math.max(lengthOf(shown), 1) / columns;
	const columnOf = (at: number) => Math.min(columns - 1, Math.floor((at - shown.from) / columnMs));
	for (const { from, to, phase } of spans) {
		if (from > shown.to || to < shown.from) continue;
		if (isEnd(phase)) {
			if (from >= shown.from) cells[columnOf(from)]?.set(phase, Number.POSITIVE_INFINITY);
			continue;
		}
		const last = columnOf(Math.min(to, shown.to));
		for (let column = columnOf(Math.max(from, shown.from)); column <= last; column++) {
			const begin = shown.from + column * columnMs;
			const ms = Math.min(to, begin + columnMs) - Math.max(from, begin);
			const cell = cells[column];
			if (ms > 0) cell?.set(phase, (cell.get(phase) ?? 0) + ms);
		}
	}
	return cells.map(longestIn);
}

/** Neighbours that are alike are one segment. */
export function barSegments(cells: readonly (Drawn | undefined)[]): Segment[] {
	const segments: Segment[] = [];
	for (let from = 0; from < cells.length; ) {
		const phase = cells[from];
		let to = from;
		while (to < cells.length && cells[to] === phase) to++;
		const { character, tone } = phase === undefined ? NOTHING : MARKS[phase];
		segments.push(segment(character.repeat(to - from), tone));
		from = to;
	}
	return segments;
}

const NOTHING = { character: " ", tone: "plain" } as const;

/** Of several that are equal the last. */
function longestIn(cell: ReadonlyMap<Drawn, number>): Drawn | undefined {
	let longest: Drawn | undefined;
	let most = 0;
	for (const [phase, ms] of cell) {
		if (ms < most) continue;
		longest = phase;
		most = ms;
	}
	return longest;
}
