/** What stands above the agents of a page: which run it is, how it stands, what it cost, and its answer. Pure. */

import { isOver, ROOT } from "../../core/model/agent.ts";
import { preview } from "../../core/preview.ts";
import { agentsInOrder, type RunState } from "../../core/run/run-state.ts";
import { totalsWithin } from "../../core/run/spending.ts";
import { formatDuration } from "../../text/durations.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { firstLine } from "../../text/safe/terminal-safe.ts";
import { wholeEnding } from "../../text/states.ts";
import { dateTime } from "../../view/words/clock-time.ts";
import { describeSpending } from "../../view/words/usage.ts";
import type { WholeRun } from "../json/whole-run.ts";
import { stateOfRun } from "../print/listed-run.ts";
import { cutText } from "./cut-text.ts";
import { html, type Markup } from "./markup.ts";

/** A text that people read first has more room. */
const ROOM = 10;
const TITLE_CHARS = 200;

export function pageHead(run: WholeRun, answer: string | undefined): Markup {
	const { file, state, now } = run;
	const totals = totalsWithin(state, ROOT);
	const models = [...new Set([state.model, ...agentsInOrder(state).map(({ model }) => model)])];
	const facts: readonly (readonly [string, Markup])[] = [
		["state", html`<b class="${toneOf(state)}">${standingOf(run)}</b>`],
		["time", html`${formatDuration(now - state.startedAt)}, started ${dateTime(state.startedAt)}`],
		["agents", agentCounts(state)],
		["used", html`${describeSpending(totals)}`],
		["model", html`${models.slice(0, 5).join(", ")}${models.length > 5 ? ` and ${models.length - 5} more` : ""}`],
		["where", html`${file.cwd}`],
		["run", html`${state.run}${file.version === "" ? "" : `, agentree ${file.version}`}`],
	];
	return html`<header>
<h1>${titleOf(file.task)}</h1>
${state.ended === undefined ? html`<p class="alive">The run is still running; this page shows it at ${dateTime(now)}.</p>\n` : undefined}<dl class="facts">
${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
<details class="task"><summary>the whole task</summary><pre>${cutText(file.task, ROOM)}</pre></details>
${answer === undefined ? undefined : html`<details class="answer" open><summary>${wordFor(state)}</summary><pre>${cutText(answer, ROOM)}</pre></details>\n`}</header>
`;
}

/** The task in one line. */
export function titleOf(task: string): string {
	return preview(firstLine(redactKnown(task)), TITLE_CHARS);
}

function standingOf({ file, state, isSuspended }: WholeRun): string {
	return state.ended === undefined
		? stateOfRun({ file, state, isSuspended })
		: `${wholeEnding(state.ended.ending)}, exit code ${state.ended.exitCode}`;
}

function toneOf({ ended }: RunState): string {
	if (ended === undefined) return "busy";
	return ended.ending.by === "answer" ? "good" : "bad";
}

/** `61: 54 answered, 6 failed, 1 running`; what is not as it should be is marked. */
function agentCounts(state: RunState): Markup {
	const counts = new Map<string, number>();
	for (const agent of Object.values(state.agents)) {
		const what = isOver(agent) ? ENDED_AS[agent.state.ending.by] : agent.state.is;
		counts.set(what, (counts.get(what) ?? 0) + 1);
	}
	if (state.refused > 0) counts.set("refused", state.refused);
	const parts = [...counts].map(([what, count], at) => {
		const text = `${count} ${what}`;
		return html`${at === 0 ? ": " : ", "}${BAD.has(what) ? html`<b class="bad">${text}</b>` : text}`;
	});
	return html`${Object.keys(state.agents).length}${parts}`;
}

const ENDED_AS = {
	answer: "answered",
	failure: "failed",
	limit: "ended by a limit",
	stopped: "stopped",
	killed: "killed",
	crashed: "crashed",
} as const;
const BAD: ReadonlySet<string> = new Set([ENDED_AS.failure, ENDED_AS.limit, ENDED_AS.killed, ENDED_AS.crashed]);

function wordFor({ ended }: RunState): string {
	return ended?.ending.by === "answer" ? "the answer" : "last words of agent 1";
}
