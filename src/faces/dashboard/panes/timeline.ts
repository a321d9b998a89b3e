/** The timeline: what each agent of the tree's rows did when, as bars. */

import type { Doing } from "../../../core/doing.ts";
import { type Agent, ROOT } from "../../../core/model/agent.ts";
import { formatDuration } from "../../../text/durations.ts";
import { padWidth } from "../../../text/width/width.ts";
import {
	fitLine,
	type Line,
	lineWidth,
	type Segment,
	type Size,
	type Style,
	segment,
	selectLine,
} from "../../../tui/text/line.ts";
import { ageOf } from "../../../view/agents/doing-now.ts";
import {
	cellsOf,
	type Interval,
	type Phase,
	type PhaseSpan,
	phaseWord,
	runsOf,
	spansOf,
	timesIn,
} from "../../../view/timeline/phases.ts";
import { shortTime } from "../../../view/words/clock-time.ts";
import type { Action, KeyBinding } from "../scene/keys.ts";
import type { Pane, Step } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import {
	followingNow,
	lengthOf,
	panned,
	type RunTime,
	shownInterval,
	steadyInterval,
	type TimeRange,
	WHOLE_TIME,
	zoomed,
} from "../scene/time-range.ts";
import { treeWindow } from "../scene/tree-rows.ts";
import { closed } from "../scene/ui-state.ts";
import { MARKS } from "./agent-mark.ts";
import { treeStep } from "./tree-steps.ts";

const NAME = "timeline";
const MOST_COLUMNS = 400;

const KEYS: readonly KeyBinding[] = [
	{ action: "zoom_in", names: ["+", "="] },
	{ action: "zoom_out", names: ["-", "_"] },
	{ action: "whole_time", names: ["0"] },
	{ action: "earlier", names: ["left", "h"] },
	{ action: "later", names: ["right", "l"] },
	{ action: "follow", names: ["f"] },
	{ action: "choose", names: ["enter", "return"] },
];

export const timelinePane: Pane = {
	name: NAME,
	place: { is: "box", mostColumns: MOST_COLUMNS },
	opener: {
		...{ action: "open", names: ["t"], opens: NAME },
		...{ label: "t", help: "timeline of all agents", hint: "time" },
	},
	ownKeys: KEYS,
	title,
	lines: (scene, size) => timelineLines(scene, wholeTime(scene), size),
	act: (action, scene, size) => stepAfter(action, scene, size),
};

/** How to close it stays visible. */
function title(scene: Scene, { columns }: Size): Line {
	const shown = shownInterval(scene.ui.timeline, wholeTime(scene));
	const [from, to] = [shown.from, shown.to].map(shortTime);
	const length = formatDuration(lengthOf(shown));
	const words = [` ${from} – ${to}, ${length} (esc closes)`, ` ${from} – ${to} (esc)`, ` ${length} (esc)`];
	const lines = words.map((text): Line => [segment("Timeline", "heading"), segment(text, "dim")]);
	return lines.find((line) => lineWidth(line) <= columns) ?? [segment("Timeline", "heading")];
}

/** From the start of the run to now, or to its end. */
function wholeTime({ run, now }: Scene): RunTime {
	const root = run.agents[ROOT]?.state;
	const endedAt = run.ended?.at ?? (root?.is === "ended" ? root.at : undefined);
	const to = endedAt ?? now;
	const from = run.startedAt === 0 ? to : run.startedAt;
	return { from, to: Math.max(to, from + 1_000), isGoingOn: endedAt === undefined };
}

/** Keys of the tree do here what they do there: the rows are the same. */
function stepAfter(action: Action, scene: Scene, size: Size): Step | undefined {
	const { ui } = scene;
	if (action === "choose") return { ui: { ...closed(ui), side: "transcript" } };
	if (action === "cancel") return undefined; // closes the timeline, and leaves the tree's filter as it is
	const timeline = rangeAfter(action, ui.timeline, wholeTime(scene));
	return timeline === undefined ? treeStep(action, scene, barRows(size)) : { ui: { ...ui, timeline } };
}

function rangeAfter(action: Action, range: TimeRange, whole: Interval): TimeRange | undefined {
	switch (action) {
		case "zoom_in":
			return zoomed(range, whole, "in");
		case "zoom_out":
			return zoomed(range, whole, "out");
		case "whole_time":
			return WHOLE_TIME;
		case "earlier":
		case "later":
			return panned(range, whole, action);
		case "follow":
			return followingNow(range);
		default:
			return undefined;
	}
}

/** The lines of the timeline: an axis, bars, what the selected agent did for how long, and what the characters mean. */

const LABEL_SHARE = 0.3;
const MOST_LABEL_COLUMNS = 32;
const AGE_COLUMNS = 8;
const AGES_FROM_COLUMNS = 60;
const SUMS_FROM_ROWS = 9;
const HINTS = ["↑↓ agent", "←→ time", "+- zoom", "0 all", "f now", "enter read"];

interface Bar {
	readonly agent: Agent;
	readonly name: string;
	readonly spans: readonly PhaseSpan[];
	readonly cells: readonly (Phase | undefined)[];
}

interface Columns {
	readonly label: number;
	readonly bar: number;
	/** 0 where there is no room. */
	readonly age: number;
}

/** As many lines as `size` has rows. */
function timelineLines(scene: Scene, { isGoingOn, ...whole }: RunTime, size: Size): Line[] {
	const { ui, rows, phases = new Map() } = scene;
	const columns = columnsOf(size.columns);
	const chosen = shownInterval(ui.timeline, whole);
	const shown = isGoingOn ? steadyInterval(chosen, whole, columns.bar) : chosen;
	const room = barRows(size);
	const { first, selected: row } = treeWindow(rows, ui, room);
	const selected = rows[row]?.agent;
	const bars = rows.slice(first, first + room).map(({ agent }): Bar => {
		const spans = spansOf(phases, agent, whole.to);
		return { agent, name: scene.nameOf(agent), spans, cells: cellsOf(spans, shown, columns.bar) };
	});
	const axis = segment(" ".repeat(columns.label) + timeAxis(shown, whole.from, columns.bar), "dim");
	const drawn = bars.map((bar) => barLine(bar, bar.agent === selected, { columns, now: whole.to }));
	const blank = Array.from({ length: room - bars.length }, (): Line => []);
	const selectedBar = bars.find(({ agent }) => agent === selected);
	const sums = hasSums(size) ? [sumsLine(selectedBar, size.columns)] : [];
	return [[axis], ...drawn, ...blank, ...sums, legend(bars, size.columns)];
}

/** How many agents have a bar. */
function barRows(size: Size): number {
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
	const text = timesIn(bar.spans).join(" · ");
	return fitLine([segment(`${bar.agent.id}  `, "strong"), segment(text)], columns);
}

/** Of the characters those that are seen, and as many keys as fit. */
function legend(bars: readonly Bar[], columns: number): Line {
	const seen = new Set(bars.flatMap(({ cells }) => cells));
	const marks = (Object.keys(BAR_MARKS) as Phase[]).filter((phase) => seen.has(phase));
	const entries: Line[] = [
		...marks.map((phase) => [
			segment(`${BAR_MARKS[phase].character} `, BAR_MARKS[phase].tone),
			segment(phaseWord(phase), "dim"),
		]),
		...HINTS.map((key) => [segment(key, "dim")]),
	];
	let line: Line = [];
	for (const entry of entries) {
		const next = [...line, segment(line.length === 0 ? "" : "  "), ...entry];
		if (lineWidth(next) > columns) break;
		line = next;
	}
	return line;
}

/** Marks of time above bars: how long after the begin of the run each moment is. */

const LEAST_COLUMNS = 9;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
	...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
	...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
	...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
];

/** Exactly `columns` wide: `│0s       │30s      │1m`. */
export function timeAxis(shown: Interval, startedAt: number, columns: number): string {
	const columnMs = Math.max(lengthOf(shown), 1) / columns;
	const step = stepFor(columnMs * LEAST_COLUMNS);
	const cells = Array.from({ length: columns }, () => " ");
	const first = Math.max(0, Math.ceil((shown.from - startedAt) / step));
	for (let at = startedAt + first * step; at < shown.to; at += step) {
		const column = Math.floor((at - shown.from) / columnMs);
		const label = `│${shortDuration(at - startedAt)}`;
		if (column + label.length <= columns) cells.splice(column, label.length, ...label);
	}
	return cells.join("");
}

/** The first round step of at least so long. */
function stepFor(ms: number): number {
	return STEPS.find((step) => step >= ms) ?? DAY * Math.ceil(ms / DAY);
}

/** `1m` for `1m00s` */
function shortDuration(ms: number): string {
	return ms === 0 ? "0s" : formatDuration(ms).replace(/(h|m)00[ms]$/, "$1");
}

/** What an agent did over time as a bar: a character a moment. Each phase has one of its own, so that no color is needed. */
interface BarMark {
	readonly character: string;
	readonly tone: Style;
}

/** In the order of the legend. Calls that are made again, pauses and ends look as they do in the tree. */
export const BAR_MARKS: Readonly<Record<Phase, BarMark>> = {
	running: { character: "█", tone: MARKS.running.tone },
	thinking: { character: "▄", tone: MARKS.thinking.tone },
	waiting: { character: "─", tone: MARKS.waiting.tone },
	asking: { ...asInTree("asking"), tone: "warn" },
	listening: asInTree("listening"),
	retrying: asInTree("retrying"),
	paused: asInTree("paused"),
	queued: { character: "░", tone: MARKS.queued.tone },
	failed: asInTree("failed"),
	stopped: asInTree("stopped"),
	answered: asInTree("answered"),
	unknown: { character: "…", tone: "dim" },
};

function asInTree(doing: Doing) {
	const { glyph, tone } = MARKS[doing];
	return { character: glyph, tone };
}

export function barSegments(cells: readonly (Phase | undefined)[]): Segment[] {
	return runsOf(cells).map(({ phase, cells: columns }) => {
		const { character, tone } = phase === undefined ? NOTHING : BAR_MARKS[phase];
		return segment(character.repeat(columns), tone);
	});
}

const NOTHING = { character: " ", tone: "plain" } as const;
