/** What an agent did over time as a bar: a character a moment. Each phase has one of its own, so that no colour is needed. */
import { type Segment, segment, type Tone } from "../scene/line.ts";
import { isEnd, type PhaseSpan } from "../scene/run-phases.ts";
import type { Doing } from "../scene/state-counts.ts";
import { type Interval, lengthOf } from "../scene/time-range.ts";
import { MARKS } from "./agent-mark.ts";

export type Drawn = PhaseSpan["phase"];

export interface BarMark {
	readonly character: string;
	readonly tone: Tone;
	/** In the legend. */
	readonly does: string;
	/** Of the time that it took; absent for what takes none. */
	readonly did?: string;
}

/** In the order of the legend. Calls that are made again, pauses and ends look as they do in the tree. */
export const BAR_MARKS: Readonly<Record<Drawn, BarMark>> = {
	running: { character: "█", tone: MARKS.running.tone, does: "runs", did: "ran" },
	thinking: { character: "▄", tone: MARKS.thinking.tone, does: "thinks", did: "thought" },
	waiting: { character: "─", tone: MARKS.waiting.tone, does: "waits", did: "waited for agents" },
	asking: { ...asInTree("asking"), tone: "warn", does: "asks you", did: "waited for your answer" },
	listening: { ...asInTree("listening"), does: "waits for you", did: "waited for you" },
	retrying: { ...asInTree("retrying"), does: "retry", did: "waited to retry" },
	paused: { ...asInTree("paused"), does: "paused", did: "paused" },
	queued: { character: "░", tone: MARKS.queued.tone, does: "queued", did: "queued" },
	failed: { ...asInTree("failed"), does: "failed" },
	stopped: { ...asInTree("stopped"), does: "stopped" },
	answered: { ...asInTree("answered"), does: "answered" },
	unknown: { character: "…", tone: "dim", does: "not known", did: "not known" },
};

function asInTree(doing: Doing) {
	const { glyph, tone } = MARKS[doing];
	return { character: glyph, tone };
}

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
		const { character, tone } = phase === undefined ? NOTHING : BAR_MARKS[phase];
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
