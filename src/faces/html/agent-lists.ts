/** The two lists of a page with a line an agent: the tree, and what each did over time. Each agent links to its transcript. */

import { type Agent, type AgentId, depthOf, isOver } from "../../core/model/agent.ts";
import { senderName } from "../../core/model/message-marks.ts";
import { preview } from "../../core/preview.ts";
import { agentsInOrder, type RunState } from "../../core/run/run-state.ts";
import { newestOfPerson } from "../../core/run/waiting-messages.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { wholeEnding } from "../../text/describe-ending.ts";
import { formatDuration } from "../../text/durations.ts";
import { counted, formatCost } from "../../text/numbers.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { firstLine } from "../../text/safe/terminal-safe.ts";
import { ageOf, doingLine } from "../../view/agents/doing-now.ts";
import {
	cellsOf,
	type Interval,
	type Phase,
	type PhaseChange,
	PhaseReader,
	type PhaseSpan,
	phaseWord,
	type RunPhases,
	runsOf,
	spansOf,
	timesIn,
	withChanges,
} from "../../view/timeline/phases.ts";
import { shortTime } from "../../view/words/clock-time.ts";
import { formatUsedTokens } from "../../view/words/usage.ts";
import type { WholeRun } from "../json/whole-run.ts";
import { html, type Markup } from "./markup.ts";

const MESSAGE_CHARS = 200;
const MOST_LEVELS = 12; // deeper agents are not indented further

/** What stands on a bar, in the order of the legend. */
export const BAR_PHASES = [
	...(["running", "thinking", "retrying", "waiting", "queued", "asking", "listening", "paused"] as const),
	...(["answered", "stopped", "failed"] as const),
] as const;
const CELLS = 500;

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

export function* agentBars({ source, state, now }: WholeRun): Generator<Markup> {
	const whole = { from: state.startedAt, to: Math.max(now, state.startedAt + 1) };
	const legend = [...BAR_PHASES.map((phase) => [phase, phaseWord(phase)]), ["message", "was sent a message"]];
	yield html`<section id="timeline">
<h2>Timeline</h2>
<p class="legend">${legend.map(([kind, words]) => html`<span><i class="key ${kind}"></i> ${words}</span> `)}</p>
<div class="wide"><div class="bars">
${timeAxis(state, whole)}`;
	const { phases, messages } = readTimes(source);
	for (const agent of agentsInOrder(state))
		yield barRow(agent, { spans: spansOf(phases, agent, now), sent: messages.get(agent.id) ?? [] }, whole);
	yield html`</div></div>
</section>
`;
}

type Sent = Extract<RunEvent, { event: "message_sent" }>;

/** What all agents did when, and the messages that they were sent, but for those that were taken back. */
function readTimes(source: WholeRun["source"]): { phases: RunPhases; messages: ReadonlyMap<AgentId, Sent[]> } {
	const reader = new PhaseReader();
	const changes: PhaseChange[] = [];
	const messages = new Map<AgentId, Sent[]>();
	source.events((event) => {
		for (const change of reader.note(event)) changes.push(change);
		const sent = "agent" in event && event.agent !== undefined ? (messages.get(event.agent) ?? []) : [];
		if (event.event === "message_sent") messages.set(event.agent, [...sent, event]);
		if (event.event === "message_withdrawn") messages.set(event.agent, sent.toSpliced(newestOfPerson(sent), 1));
	});
	return { phases: withChanges(new Map(), changes, Number.POSITIVE_INFINITY), messages };
}

function timeAxis({ startedAt }: RunState, { from, to }: Interval): Markup {
	const ticks = [0, 0.25, 0.5, 0.75].map((share) => {
		const at = from + (to - from) * share;
		const since = at === startedAt ? "" : ` +${formatDuration(at - startedAt)}`;
		return html`<span><i>${shortTime(at)}</i>${since}</span>`;
	});
	return html`<div class="row axis"><span></span><div class="ticks">${ticks}</div></div>\n`;
}

interface Done {
	readonly spans: readonly PhaseSpan[];
	readonly sent: readonly Sent[];
}

function barRow(agent: Agent, { spans, sent }: Done, whole: Interval): Markup {
	const times = [...timesIn(spans), ...(sent.length === 0 ? [] : [counted(sent.length, "message")])];
	const cells = cellsOf(spans, whole, CELLS);
	return html`<div class="row"><span>${linkTo(agent)} ${firstLine(agent.task)}</span><svg viewBox="0 0 ${CELLS} 10" preserveAspectRatio="none" role="img"><title>${agent.id}: ${times.join(", ")}</title>${barParts(cells)}${sent.map((message) => messageMark(message, whole))}</svg></div>
`;
}

function barParts(cells: readonly (Phase | undefined)[]): Markup[] {
	return runsOf(cells).flatMap(({ phase, from, cells: width }) =>
		BAR_PHASES.some((one) => one === phase)
			? [html`<rect class="${phase}" x="${from}" y="2" width="${width}" height="8"/>`]
			: [],
	);
}

function messageMark({ at, from, text }: Sent, whole: Interval): Markup {
	const share = (at - whole.from) / (whole.to - whole.from);
	const x = Math.max(0, Math.min(CELLS - 1, Math.floor(share * CELLS)));
	const title = `${shortTime(at)} message from ${senderName(from)}: ${preview(redactKnown(text), MESSAGE_CHARS)}`;
	return html`<rect class="message" x="${x}" width="3" height="10"><title>${title}</title></rect>`;
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
