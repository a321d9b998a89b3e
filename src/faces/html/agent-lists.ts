/** The two lists of a page with a line an agent: the tree, and what each did over time. Each agent links to its history. */

import { type Agent, depthOf, isOver } from "../../core/model/agent.ts";
import { senderName } from "../../core/model/told-message.ts";
import { preview } from "../../core/preview.ts";
import { agentsInOrder, type RunState } from "../../core/run/run-state.ts";
import { formatDuration } from "../../text/durations.ts";
import { counted, formatCost } from "../../text/numbers.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { firstLine } from "../../text/safe/terminal-safe.ts";
import { wholeEnding } from "../../text/states.ts";
import { ageOf, doingLine } from "../../view/agents/doing-now.ts";
import type { AgentTimeline, Interval } from "../../view/timeline/agent-timeline.ts";
import { shortTime } from "../../view/words/clock-time.ts";
import { formatUsedTokens } from "../../view/words/usage.ts";
import type { WholeRun } from "../json/whole-run.ts";
import { html, type Markup } from "./markup.ts";

/** What an agent did over the time of its run, as one bar: in each part of it what the agent did for the longest. Pure. */

/** The one that counts most where several took equally long comes first. */
const KINDS = ["retrying", "thinking", "compacting", "running", "waiting", "queued"] as const;
type Kind = (typeof KINDS)[number];

interface BarPart {
	readonly kind: Kind;
	/** In cells of the bar, of which there are `CELLS`. */
	readonly from: number;
	readonly cells: number;
}

const CELLS = 500;

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

const MESSAGE_CHARS = 200;
const MOST_LEVELS = 12; // deeper agents are not indented further

/** What the kinds of a bar are called. */
const WORDS: Readonly<Record<Kind, string>> = {
	retrying: "waiting to retry",
	thinking: "thinks",
	compacting: "summarises",
	running: "running commands",
	waiting: "waiting for agents",
	queued: "queued",
};

const LEGEND: readonly (readonly [string, string])[] = [
	...KINDS.map((kind) => [kind, WORDS[kind]] as const),
	["paused", "paused"],
	["message", "was sent a message"],
];

export function* agentTree({ state, now }: WholeRun): Generator<Markup> {
	yield html`<section id="tree">
<h2>Tree</h2>
<div class="wide"><table>
<thead><tr><th>agent</th><th>state</th><th>time</th><th>turns</th><th>tokens</th><th>cost</th></tr></thead>
<tbody>
`;
	for (const agent of agentsInOrder(state)) yield treeRow(agent, now);
	yield html`</tbody>
</table></div>
</section>
`;
}

function treeRow(agent: Agent, now: number): Markup {
	const level = Math.min(MOST_LEVELS, depthOf(agent.id));
	const unit = (word: string) => html`<span class="unit"> ${word}</span>`; // on narrow screens, where no head says it
	return html`<tr class="level${level}"><td>${linkTo(agent)} ${firstLine(agent.task)}</td>
<td class="${toneOf(agent)}">${markOf(agent)} ${standingOf(agent, now)}</td><td>${formatDuration(ageOf(agent, now))}</td>
<td>${agent.turns}${unit(agent.turns === 1 ? "turn" : "turns")}</td><td>${formatUsedTokens(agent.usage)}${unit("tokens")}</td><td>${formatCost(agent.costUsd)}</td></tr>
`;
}

/** What it does, or how it has ended. */
export function standingOf(agent: Agent, now: number): string {
	return isOver(agent) ? wholeEnding(agent.state.ending) : doingLine(agent, { now });
}

export function* agentBars({ state, timeline, now }: WholeRun): Generator<Markup> {
	const whole = { from: state.startedAt, to: Math.max(now, state.startedAt + 1) };
	yield html`<section id="timeline">
<h2>Timeline</h2>
<p class="legend">${LEGEND.map(([kind, words]) => html`<span><i class="key ${kind}"></i> ${words}</span> `)}</p>
<div class="wide"><div class="bars">
${timeAxis(state, whole)}`;
	for (const agent of agentsInOrder(state)) {
		const done = timeline.agents.get(agent.id);
		if (done !== undefined) yield barRow(agent, done, whole);
	}
	yield html`</div></div>
</section>
`;
}

function timeAxis({ startedAt }: RunState, { from, to }: Interval): Markup {
	const ticks = [0, 0.25, 0.5, 0.75].map((share) => {
		const at = from + (to - from) * share;
		const since = at === startedAt ? "" : ` +${formatDuration(at - startedAt)}`;
		return html`<span><i>${shortTime(at)}</i>${since}</span>`;
	});
	return html`<div class="row axis"><span></span><div class="ticks">${ticks}</div></div>\n`;
}

function barRow(agent: Agent, timeline: AgentTimeline, whole: Interval): Markup {
	const parts = barOf(timeline, whole).map(
		({ kind, from, cells }) => html`<rect class="${kind}" x="${from}" y="2" width="${cells}" height="8"/>`,
	);
	return html`<div class="row"><span>${linkTo(agent)} ${firstLine(agent.task)}</span><svg viewBox="0 0 ${CELLS} 10" preserveAspectRatio="none" role="img"><title>${agent.id}: ${timesInWords(timeline).join(", ")}</title>${parts}${actParts(timeline, whole)}</svg></div>
`;
}

/** Pauses as a strip along the bar, whatever the agent did meanwhile; messages as marks. */
function actParts({ pauses, messages }: AgentTimeline, whole: Interval): Markup[] {
	const strips = pauses.map((pause) => {
		const { from, cells } = placeOf(pause, whole);
		return html`<rect class="paused" x="${from}" y="7" width="${cells}" height="3"/>`;
	});
	const marks = messages.map(({ from: sentAt, sender, text }) => {
		const { from } = placeOf({ from: sentAt, to: sentAt }, whole);
		const title = `${shortTime(sentAt)} message from ${senderName(sender)}: ${preview(redactKnown(text), MESSAGE_CHARS)}`;
		return html`<rect class="message" x="${from}" width="3" height="10"><title>${title}</title></rect>`;
	});
	return [...strips, ...marks];
}

function timesInWords(timeline: AgentTimeline): string[] {
	const { pauses, messages } = timeline;
	const pausedMs = pauses.reduce((sum, { from, to }) => sum + to - from, 0);
	return [
		...timesOf(timeline).map(({ kind, ms }) => `${WORDS[kind]} ${formatDuration(ms)}`),
		...(pauses.length === 0 ? [] : [`paused ${formatDuration(pausedMs)}`]),
		...(messages.length === 0 ? [] : [counted(messages.length, "message")]),
	];
}

function linkTo({ id }: Agent): Markup {
	return html`<a href="#agent-${id}">${id}</a>`;
}

export function toneOf({ state }: Agent): string {
	if (state.is !== "ended") return "busy";
	return state.ending.by === "answer" ? "good" : "bad";
}

export function markOf(agent: Agent): string {
	if (!isOver(agent)) return "●";
	return agent.state.ending.by === "answer" ? "✓" : "✗";
}
