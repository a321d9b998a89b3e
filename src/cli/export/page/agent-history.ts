/** One agent's part of a page: what it was asked, its history, and how it ended; read from disk message by message. */
import { type Agent, isOver } from "../../../core/agent.ts";
import { DEFAULT_LIMITS, LIMIT_TABLE, type Limits } from "../../../core/limits.ts";
import { totalsWithin } from "../../../core/spending.ts";
import type { AgentFile } from "../../../core/transcript.ts";
import { dateTime } from "../../../events/event-text.ts";
import { describeContext } from "../../../models/context-use.ts";
import { readLogTail } from "../../../store/log-tail.ts";
import { entriesOf } from "../../../store/read-events.ts";
import { readAgentFile } from "../../../store/read-run.ts";
import { formatDuration } from "../../../text/durations.ts";
import { formatLimit } from "../../../text/limits.ts";
import { ageOf, describeState } from "../../../text/states.ts";
import { firstLine } from "../../../text/terminal-safe.ts";
import { orDamage } from "../or-damage.ts";
import type { RecordedRun } from "../recorded-run.ts";
import { markOf, toneOf } from "./agent-lists.ts";
import { cutText } from "./cut-text.ts";
import { History } from "./history.ts";
import { html, type Markup } from "./markup.ts";
import { usedBy } from "./page-head.ts";

const TASK_ROOM = 4;
const NOTHING = { queued: [], turns: [], commands: [] };

/** `room`: how much of it its texts have; 1 is the usual one. */
export function* agentHistory(run: RecordedRun, agent: Agent, room: number): Generator<Markup> {
	const { directory, now, damage } = run;
	const file = orDamage(damage, () => readAgentFile(directory, agent.id));
	const task = file?.task ?? agent.task;
	yield html`<details class="agent"><summary><b class="${toneOf(agent)}">${markOf(agent)} ${agent.id}</b> ${firstLine(agent.task)} <small>${describeState(agent, now)} · ${formatDuration(ageOf(agent, now))}</small></summary>
<div id="agent-${agent.id}">
${particulars(run, agent, file)}
<blockquote><pre>${cutText(task, TASK_ROOM * room)}</pre></blockquote>
`;
	const history = new History({
		...{ task, room, isOver: isOver(agent) },
		timeline: run.timeline.agents.get(agent.id) ?? NOTHING,
		happenings: run.happenings.get(agent.id) ?? { list: [], more: 0 },
		tailOf: (log) => orDamage(damage, () => readLogTail(directory, agent.id, log)),
	});
	for (const entry of entriesOf(directory, agent.id, (what) => damage.push(`agent ${agent.id}: ${what}`)))
		yield history.entry(entry);
	yield history.rest();
	yield html`<p class="end ${toneOf(agent)}">${describeState(agent, now)}</p>
</div></details>
`;
}

function particulars({ state }: RecordedRun, agent: Agent, file: AgentFile | undefined): Markup {
	const all = totalsWithin(state, agent.id);
	const below = all.agents - 1;
	const limits = limitsBeyondDefault(agent.limits);
	const context = describeContext(agent);
	const lines = [
		...(file === undefined ? [] : [`in ${file.cwd}`]),
		`model ${agent.model}${file?.effort === undefined ? "" : `, effort ${file.effort}`}`,
		`pid ${agent.pid}, since ${dateTime(agent.joinedAt)}`,
		usedBy(agent),
		...(below > 0 ? [`with ${below} below: ${usedBy(all)}`] : []),
		...(context === undefined ? [] : [`context ${context}`]),
		...(limits === "" ? [] : [limits]),
	];
	return html`<p class="facts">${lines.join(" · ")}</p>`;
}

function limitsBeyondDefault(limits: Limits): string {
	return LIMIT_TABLE.flatMap(({ key, flag, unit }) => {
		const most = limits[key];
		return most === undefined || most === DEFAULT_LIMITS[key] ? [] : [`${flag} ${formatLimit(unit, most)}`];
	}).join(", ");
}
