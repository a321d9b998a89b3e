/** What an agent did over the time of its run, as one bar: in each part of it what the agent did for the longest. Pure. */
import type { AgentTimeline, Interval } from "../../../events/timeline.ts";

/** The one that counts most where several took equally long comes first. */
export const KINDS = ["retrying", "thinking", "compacting", "running", "waiting", "queued"] as const;
export type Kind = (typeof KINDS)[number];

export interface BarPart {
	readonly kind: Kind;
	/** In cells of the bar, of which there are `CELLS`. */
	readonly from: number;
	readonly cells: number;
}

export const CELLS = 500;

/** Where on the bar an interval lies, in cells; at least one. */
export function placeOf({ from, to }: Interval, whole: Interval): Pick<BarPart, "from" | "cells"> {
	const cellMs = cellMsOf(whole);
	const first = Math.min(CELLS - 1, Math.max(0, Math.floor((from - whole.from) / cellMs)));
	const end = Math.min(CELLS, Math.ceil((to - whole.from) / cellMs));
	return { from: first, cells: Math.max(1, end - first) };
}

/** The parts from left to right. An interval that is shorter than a cell has one, unless something longer is in it. */
export function barOf(timeline: AgentTimeline, whole: Interval): BarPart[] {
	const cells = new Cells(whole);
	for (const [kind, intervals] of intervalsOf(timeline)) for (const interval of intervals) cells.add(kind, interval);
	return cells.parts();
}

/** How long the agent did each, in milliseconds; commands side by side count once each. */
export function timesOf(timeline: AgentTimeline): { readonly kind: Kind; readonly ms: number }[] {
	const sums = intervalsOf(timeline).map(([kind, intervals]) => ({
		kind,
		ms: intervals.reduce((sum, { from, to }) => sum + to - from, 0),
	}));
	return KINDS.flatMap((kind) => {
		const ms = sums.reduce((sum, one) => sum + (one.kind === kind ? one.ms : 0), 0);
		return ms > 0 ? [{ kind, ms }] : [];
	});
}

function intervalsOf({ queued, turns, commands }: AgentTimeline): [Kind, Interval[]][] {
	const calls = turns.map(({ purpose, retries, ...turn }): [Kind, Interval[]] => {
		return [purpose === undefined ? "thinking" : "compacting", without(turn, retries)];
	});
	return [
		["queued", [...queued]],
		["retrying", turns.flatMap(({ retries }) => retries)],
		...calls,
		["running", commands.flatMap((command) => without(command, command.waits))],
		["waiting", commands.flatMap(({ waits }) => waits)],
	];
}

/** `whole` without the parts that `inner` takes, which lie in it, one behind the other. */
function without(whole: Interval, inner: readonly Interval[]): Interval[] {
	const starts = [whole.from, ...inner.map(({ to }) => to)];
	const ends = [...inner.map(({ from }) => from), whole.to];
	return starts.map((from, at) => ({ from, to: ends[at] ?? from }));
}

function cellMsOf({ from, to }: Interval): number {
	return Math.max(1, to - from) / CELLS;
}

class Cells {
	private readonly from: number;
	private readonly cellMs: number;
	private readonly ms = new Map<Kind, Float64Array>();

	constructor(whole: Interval) {
		this.from = whole.from;
		this.cellMs = cellMsOf(whole);
	}

	add(kind: Kind, { from, to }: Interval): void {
		const known = this.ms.get(kind) ?? new Float64Array(CELLS);
		this.ms.set(kind, known);
		const start = Math.max(0, (from - this.from) / this.cellMs);
		const end = Math.min(CELLS, (to - this.from) / this.cellMs);
		for (let cell = Math.floor(start); cell < end; cell++)
			known[cell] = (known[cell] ?? 0) + Math.min(end, cell + 1) - Math.max(start, cell);
	}

	parts(): BarPart[] {
		const parts: { kind: Kind; from: number; cells: number }[] = [];
		for (let cell = 0; cell < CELLS; cell++) {
			const kind = this.most(cell);
			const last = parts.at(-1);
			if (kind === undefined) continue;
			if (last?.kind === kind && last.from + last.cells === cell) last.cells++;
			else parts.push({ kind, from: cell, cells: 1 });
		}
		return parts;
	}

	private most(cell: number): Kind | undefined {
		let most: Kind | undefined;
		let mostMs = 0;
		for (const kind of KINDS) {
			const ms = this.ms.get(kind)?.[cell] ?? 0;
			if (ms <= mostMs) continue;
			most = kind;
			mostMs = ms;
		}
		return most;
	}
}
