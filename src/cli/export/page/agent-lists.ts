/** The two lists of a page with a line an agent: the tree, and what each did over time. Each agent links to its history. */
import { type Agent, depthOf, isOver } from "../../../core/agent.ts";
import { preview } from "../../../core/preview.ts";
import { agentsInOrder, type RunState } from "../../../core/run-state.ts";
import { senderName } from "../../../core/told-message.ts";
import { shortTime } from "../../../events/clock-time.ts";
import type { AgentTimeline, Interval } from "../../../events/timeline.ts";
import { formatDuration } from "../../../text/durations.ts";
import { formatCost } from "../../../text/money.ts";
import { redactKnown } from "../../../text/redact.ts";
import { ageOf, describeState, wholeEnding } from "../../../text/states.ts";
import { firstLine } from "../../../text/terminal-safe.ts";
import { formatUsedTokens } from "../../../text/usage.ts";
import type { RecordedRun } from "../recorded-run.ts";
import { barOf, CELLS, KINDS, type Kind, placeOf, timesOf } from "./bar.ts";
import { html, type Markup } from "./markup.ts";

const MESSAGE_CHARS = 200;
const MOST_LEVELS = 12; // deeper agents are not indented further

/** What the kinds of a bar are called. */
const WORDS: Readonly<Record<Kind, string>> = {
	retrying: "waits to call again",
	thinking: "thinks",
	compacting: "summarises",
	running: "runs commands",
	waiting: "waits for agents",
	queued: "queued",
};

const LEGEND: readonly (readonly [string, string])[] = [
	...KINDS.map((kind) => [kind, WORDS[kind]] as const),
	["paused", "paused"],
	["message", "was sent a message"],
];

export function* agentTree({ state, now }: RecordedRun): Generator<Markup> {
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
	return isOver(agent) ? wholeEnding(agent.state.ending) : describeState(agent, now);
}

export function* agentBars({ state, timeline, now }: RecordedRun): Generator<Markup> {
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
		...(messages.length === 0 ? [] : [messages.length === 1 ? "1 message" : `${messages.length} messages`]),
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
