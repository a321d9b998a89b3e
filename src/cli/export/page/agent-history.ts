/** One agent's part of a page: what it was asked, its history, and how it ended; read from disk message by message. */
import { type Agent, depthOf, isOver } from "../../../core/agent.ts";
import { totalsWithin } from "../../../core/spending.ts";
import type { AgentFile } from "../../../core/transcript.ts";
import { AgentStory } from "../../../events/agent-story.ts";
import { dateTime, shortTime } from "../../../events/clock-time.ts";
import { EMPTY_TIMELINE } from "../../../events/timeline.ts";
import { describeContext } from "../../../models/context-use.ts";
import { readLogTail } from "../../../store/log-tail.ts";
import { entriesOf } from "../../../store/read-events.ts";
import { readAgentFile } from "../../../store/read-run.ts";
import { outputPath } from "../../../store/run-directory.ts";
import { formatDuration } from "../../../text/durations.ts";
import { describeSetLimits } from "../../../text/limits.ts";
import { ageOf, describeState } from "../../../text/states.ts";
import { firstLine } from "../../../text/terminal-safe.ts";
import { describeSpending } from "../../../text/usage.ts";
import { orDamage } from "../or-damage.ts";
import type { RecordedRun } from "../recorded-run.ts";
import { markOf, standingOf, toneOf } from "./agent-lists.ts";
import { cutText } from "./cut-text.ts";
import { historyMarkup } from "./history.ts";
import { html, type Markup } from "./markup.ts";

const TASK_ROOM = 4;

/** `room`: how much of it its texts have; 1 is the usual one. */
export function* agentHistory(run: RecordedRun, agent: Agent, room: number): Generator<Markup> {
	const { directory, now, damage } = run;
	const file = orDamage(damage, () => readAgentFile(directory, agent.id));
	const task = file?.task ?? agent.task;
	yield html`<details class="agent"><summary><b class="${toneOf(agent)}">${markOf(agent)} ${agent.id}</b> ${firstLine(agent.task)} <small>${isOver(agent) ? agent.state.ending.by : describeState(agent, now)} · ${formatDuration(ageOf(agent, now))}</small></summary>
<div id="agent-${agent.id}">
${particulars(run, agent, file)}
<blockquote><pre>${cutText(task, TASK_ROOM * room)}</pre></blockquote>
`;
	const happenings = run.happenings.of(agent.id);
	const story = new AgentStory({ task, timeline: run.timeline.agents.get(agent.id) ?? EMPTY_TIMELINE, happenings });
	const tailOf = (log: string) => orDamage(damage, () => readLogTail(directory, agent.id, log));
	const pathOf = (log: string) => outputPath("", agent.id, log);
	const view = { room, isOver: isOver(agent), pathOf, tailOf };
	for (const entry of entriesOf(directory, agent.id, (what) => damage.push(`agent ${agent.id}: ${what}`)))
		for (const item of story.entry(entry)) yield historyMarkup(item, view);
	for (const item of story.rest()) yield historyMarkup(item, view);
	if (happenings.more > 0) yield html`<p class="note">${happenings.more} more events (agent log)</p>\n`;
	const ended = isOver(agent) ? html`<time>${shortTime(agent.state.at)}</time> ended: ` : undefined;
	yield html`<p class="end ${toneOf(agent)}">${ended}${standingOf(agent, now)}</p>
</div></details>
`;
}

function particulars({ state }: RecordedRun, agent: Agent, file: AgentFile | undefined): Markup {
	const all = totalsWithin(state, agent.id);
	const below = all.agents - 1;
	const limits = describeSetLimits(agent.limits, depthOf(agent.id));
	const context = describeContext(agent);
	const lines = [
		...(file === undefined ? [] : [`in ${file.cwd}`]),
		`model ${agent.model}${file?.effort === undefined ? "" : `, effort ${file.effort}`}`,
		`pid ${agent.pid}, since ${dateTime(agent.joinedAt)}`,
		describeSpending(agent),
		...(below > 0 ? [`with ${below} below: ${describeSpending(all)}`] : []),
		...(context === undefined ? [] : [`context ${context}`]),
		...(limits === "" ? [] : [limits]),
	];
	return html`<p class="facts">${lines.join(" · ")}</p>`;
}
