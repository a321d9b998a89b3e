/** The lines of the timeline: an axis, bars, what the selected agent did for how long, and what the characters mean. */
import type { Agent } from "../../core/agent.ts";
import { formatDuration } from "../../text/durations.ts";
import { ageOf } from "../../text/states.ts";
import { padWidth } from "../../text/width.ts";
import { fitLine, type Line, lineWidth, type Size, segment, selectLine } from "../scene/line.ts";
import { type PhaseSpan, spansOf } from "../scene/run-phases.ts";
import type { Scene } from "../scene/scene.ts";
import { lengthOf, type RunTime, shownInterval, steadyInterval } from "../scene/time-range.ts";
import { treeWindow } from "../scene/tree-window.ts";
import { timeAxis } from "./time-axis.ts";
import { BAR_MARKS, barCells, barSegments, type Drawn } from "./timeline-bar.ts";

const LABEL_SHARE = 0.3;
const MOST_LABEL_COLUMNS = 32;
const AGE_COLUMNS = 8;
const AGES_FROM_COLUMNS = 60;
const SUMS_FROM_ROWS = 9;
const KEYS = ["↑↓ agent", "←→ time", "+- zoom", "0 all", "f now", "enter read"];

interface Bar {
	readonly agent: Agent;
	readonly name: string;
	readonly spans: readonly PhaseSpan[];
	readonly cells: readonly (Drawn | undefined)[];
}

interface Columns {
	readonly label: number;
	readonly bar: number;
	/** 0 where there is no room. */
	readonly age: number;
}

/** As many lines as `size` has rows. */
export function timelineLines(scene: Scene, { isGoingOn, ...whole }: RunTime, size: Size): Line[] {
	const { ui, rows, phases = new Map() } = scene;
	const columns = columnsOf(size.columns);
	const chosen = shownInterval(ui.timeline, whole);
	const shown = isGoingOn ? steadyInterval(chosen, whole, columns.bar) : chosen;
	const room = barRows(size);
	const { first, selected: row } = treeWindow(rows, ui, room);
	const selected = rows[row]?.agent;
	const bars = rows.slice(first, first + room).map(({ agent }): Bar => {
		const spans = spansOf(phases, agent, whole.to);
		return { agent, name: scene.nameOf(agent), spans, cells: barCells(spans, shown, columns.bar) };
	});
	const axis = segment(" ".repeat(columns.label) + timeAxis(shown, whole.from, columns.bar), "dim");
	const drawn = bars.map((bar) => barLine(bar, bar.agent === selected, { columns, now: whole.to }));
	const blank = Array.from({ length: room - bars.length }, (): Line => []);
	const selectedBar = bars.find(({ agent }) => agent === selected);
	const sums = hasSums(size) ? [sumsLine(selectedBar, size.columns)] : [];
	return [[axis], ...drawn, ...blank, ...sums, legend(bars, size.columns)];
}

/** How many agents have a bar. */
export function barRows(size: Size): number {
	return Math.max(1, size.rows - (hasSums(size) ? 3 : 2));
}

function hasSums({ rows }: Size): boolean {
	return rows >= SUMS_FROM_ROWS;
}

function columnsOf(columns: number): Columns {
	const label = Math.min(MOST_LABEL_COLUMNS, Math.floor(columns * LABEL_SHARE));
	const age = columns >= AGES_FROM_COLUMNS ? AGE_COLUMNS : 0;
	return { label, age, bar: Math.max(0, columns - label - age) };
}

/** Only the label of the selected agent is inverted: an inverted bar would say something else. */
function barLine(
	{ agent, name, cells }: Bar,
	isSelected: boolean,
	{ columns, now }: { columns: Columns; now: number },
): Line {
	const label = [segment(padWidth(`${agent.id} ${name}`, Math.max(0, columns.label - 1)))];
	const gap = segment(columns.label > 0 ? " " : "");
	const age = padWidth(formatDuration(ageOf(agent, now)), columns.age, true);
	return [...(isSelected ? selectLine(label) : label), gap, ...barSegments(cells), segment(age, "dim")];
}

/** `1.3.1  ran 1m02s · thought 34s`, the longest first. */
function sumsLine(bar: Bar | undefined, columns: number): Line {
	if (bar === undefined) return [];
	const sums = new Map<string, number>();
	for (const { phase, ...span } of bar.spans) {
		const { did } = BAR_MARKS[phase];
		if (did !== undefined) sums.set(did, (sums.get(did) ?? 0) + lengthOf(span));
	}
	const told = [...sums].filter(([, ms]) => ms > 0).sort(([, a], [, b]) => b - a);
	const text = told.map(([did, ms]) => `${did} ${formatDuration(ms)}`).join(" · ");
	return fitLine([segment(`${bar.agent.id}  `, "strong"), segment(text)], columns);
}

/** Of the characters those that are seen, and as many keys as fit. */
function legend(bars: readonly Bar[], columns: number): Line {
	const seen = new Set(bars.flatMap(({ cells }) => cells));
	const marks = (Object.keys(BAR_MARKS) as Drawn[]).filter((phase) => seen.has(phase));
	const entries: Line[] = [
		...marks.map((phase) => [
			segment(`${BAR_MARKS[phase].character} `, BAR_MARKS[phase].tone),
			segment(BAR_MARKS[phase].does, "dim"),
		]),
		...KEYS.map((key) => [segment(key, "dim")]),
	];
	let line: Line = [];
	for (const entry of entries) {
		const next = [...line, segment(line.length === 0 ? "" : "  "), ...entry];
		if (lineWidth(next) > columns) break;
		line = next;
	}
	return line;
}
