/**
 * A whole run as one page: what it is and what it cost, its answer, the tree, what each agent did over time, and the transcript
 * of each, folded. The page has no script and takes nothing from elsewhere. It comes in pieces, an entry each, so that memory
 * holds one message of the run.
 */
import { lstatSync } from "node:fs";
import { countDoings, DOINGS } from "../../core/doing.ts";
import { type Agent, isOver, ROOT } from "../../core/model/agent.ts";
import { preview } from "../../core/preview.ts";
import { agentsInOrder, type RunState } from "../../core/run/run-state.ts";
import { totalsWithin } from "../../core/run/spending.ts";
import type { AgentFile } from "../../core/schemas/run-files.ts";
import { outputPath, transcriptPath } from "../../record/run-directory.ts";
import { wholeEnding } from "../../text/describe-ending.ts";
import { formatDuration } from "../../text/durations.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { firstLine } from "../../text/safe/terminal-safe.ts";
import { limitFacts, originFacts, placeFacts, standingFacts } from "../../view/agents/agent-facts.ts";
import { ageOf, doingLine, doingWord } from "../../view/agents/doing-now.ts";
import { stateOfRun } from "../../view/agents/listed-run.ts";
import { RunView } from "../../view/agents/run-view.ts";
import { dateTime, shortTime } from "../../view/words/clock-time.ts";
import { describeSpending } from "../../view/words/usage.ts";
import { itemsOf, orDamage, type WholeRun } from "../json/whole-run.ts";
import { agentBars, agentTree, markOf, standingOf, toneOf } from "./agent-lists.ts";
import { cutText, html, Markup, roomFor } from "./markup.ts";
import { PAGE_POLICY, PAGE_STYLE } from "./page-style.ts";
import { itemMarkup } from "./transcript-markup.ts";

const MOST_DAMAGE = 200;

export function* runPage(run: WholeRun): Generator<string> {
	for (const { text } of pieces(run)) yield text;
}

function* pieces(run: WholeRun): Generator<Markup> {
	yield html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(PAGE_POLICY)}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(run.file.task)}</title>
<style>${new Markup(PAGE_STYLE)}</style>
</head>
<body>
`;
	yield pageHead(run, run.source.lastText(ROOT) || undefined);
	yield* agentTree(run);
	yield* agentBars(run);
	yield html`<section id="agents">
<h2>Transcripts</h2>
`;
	const agents = agentsInOrder(run.state);
	const room = roomFor(agents.reduce((sum, { id }) => sum + sizeOf(transcriptPath(run.source.directory, id)), 0));
	for (const agent of agents) yield* agentTranscript(run, agent, room);
	yield html`</section>
${damageMarkup(run.damage)}</body>
</html>
`;
}

function sizeOf(path: string): number {
	try {
		return lstatSync(path).size;
	} catch {
		return 0; // it has nothing that needs room; reading it says why
	}
}

function damageMarkup(damage: readonly string[]): Markup | undefined {
	if (damage.length === 0) return undefined;
	const more = damage.length - MOST_DAMAGE;
	return html`<section>
<h2>Could not be read</h2>
<ul>${damage.slice(0, MOST_DAMAGE).map((what) => html`<li>${what}</li>`)}</ul>${more > 0 ? html`<p>and ${more} more</p>\n` : undefined}
</section>
`;
}

/** One agent's part of a page: what it was asked, its transcript, and how it ended; read from disk message by message. */

const TASK_ROOM = 4;

/** `room`: how much of it its texts have; 1 is the usual one. */
function* agentTranscript(run: WholeRun, agent: Agent, room: number): Generator<Markup> {
	const { source, now, damage } = run;
	const file = orDamage(damage, () => source.agentFile(agent.id));
	const task = file?.task ?? agent.task;
	yield html`<details class="agent"><summary><b class="${toneOf(agent)}">${markOf(agent)} ${agent.id}</b> ${firstLine(agent.task)} <small>${isOver(agent) ? agent.state.ending.by : doingLine(agent, { now })} · ${formatDuration(ageOf(agent, now))}</small></summary>
<div id="agent-${agent.id}">
${details(run, agent, file)}
<blockquote><pre>${cutText(task, TASK_ROOM * room)}</pre></blockquote>
`;
	const tailOf = (log: string) => orDamage(damage, () => source.output(agent.id, log).tail());
	const pathOf = (log: string) => outputPath("", agent.id, log);
	const view = { room, now, isOver: isOver(agent), pathOf, tailOf };
	for (const item of itemsOf(run, agent, task)) yield itemMarkup(item, view);
	const ended = isOver(agent) ? html`<time>${shortTime(agent.state.at)}</time> ended: ` : undefined;
	yield html`<p class="end ${toneOf(agent)}">${ended}${standingOf(agent, now)}</p>
</div></details>
`;
}

function details({ state, now }: WholeRun, agent: Agent, file: AgentFile | undefined): Markup {
	const view = new RunView({ run: state, now }).of(agent);
	const facts = [
		...placeFacts(state, agent.id, { file }),
		...originFacts(view, { file }),
		...limitFacts(agent, false),
		...standingFacts(state, view).filter(({ name }) => name !== "state"),
	];
	return html`<p class="facts">${facts.map(({ name, text }) => `${name} ${text}`.trim()).join(" · ")}</p>`;
}

/** What stands above the agents of a page: which run it is, how it stands, what it cost, and its answer. Pure. */

/** A text that people read first has more room. */
const ROOM = 10;
const TITLE_CHARS = 200;

function pageHead(run: WholeRun, answer: string | undefined): Markup {
	const { file, state, now } = run;
	const totals = totalsWithin(state, ROOT);
	const models = [...new Set([state.model, ...agentsInOrder(state).map(({ model }) => model)])];
	const facts: readonly (readonly [string, Markup])[] = [
		["state", html`<b class="${runTone(state)}">${runStanding(run)}</b>`],
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

function runStanding({ file, state, isSuspended }: WholeRun): string {
	return state.ended === undefined
		? stateOfRun({ file, state, isSuspended })
		: `${wholeEnding(state.ended.ending)}, exit code ${state.ended.exitCode}`;
}

function runTone({ ended }: RunState): string {
	if (ended === undefined) return "busy";
	return ended.ending.by === "answer" ? "good" : "bad";
}

/** `61: 6 failed, 1 running, 54 answered`; what is not as it should be is marked. */
function agentCounts(state: RunState): Markup {
	const agents = Object.values(state.agents);
	const counts = countDoings(agents);
	const parts = [
		...DOINGS.filter((doing) => counts[doing] > 0).map((doing) => {
			const text = `${counts[doing]} ${doingWord(doing)}`;
			return doing === "failed" ? html`<b class="bad">${text}</b>` : html`${text}`;
		}),
		...(state.refused > 0 ? [html`${state.refused} refused`] : []),
	];
	return html`${agents.length}${parts.map((part, at) => html`${at === 0 ? ": " : ", "}${part}`)}`;
}

function wordFor({ ended }: RunState): string {
	return ended?.ending.by === "answer" ? "the answer" : "last words of agent 1";
}
