/** The child agents of the root: a live line for each that lives, and one line of what came of it. Pure. */
import { type Agent, type AgentId, isOver, ROOT } from "../../core/agent.ts";
import { branchOf } from "../../core/agent-index.ts";
import { countDoings, doingOf } from "../../core/doing.ts";
import type { RunState } from "../../core/run-state.ts";
import { totalsWithin } from "../../core/spending.ts";
import { agentNames } from "../../text/agent-names.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatCost } from "../../text/money.ts";
import { describeNow, headline, whyNot } from "../../text/now.ts";
import { ageOf } from "../../text/states.ts";
import type { ShownLine, Style } from "../../text/styled-line.ts";
import { displayWidth, fitWidth, padWidth } from "../../text/width.ts";
import { counted, safeText, shownLine } from "./shown-lines.ts";

const NAME_COLUMNS = 24;

/** At most `room` rows: those that work first, and a row that counts the others. */
export function childRows(
	run: RunState,
	now: number,
	{ columns, room }: { columns: number; room: number },
): ShownLine[] {
	const children = livingChildren(run);
	if (children.length === 0 || room < 1) return [];
	const names = agentNames(children);
	const shown = children.length <= room ? children : children.slice(0, room - 1);
	const width = Math.min(NAME_COLUMNS, Math.max(0, ...shown.map(({ id }) => displayWidth(names.get(id) ?? ""))));
	const rows = shown.map((child) => childRow(run, child, { now, columns, width, name: names.get(child.id) ?? "" }));
	const others = children.length - shown.length;
	return others === 0 ? rows : [...rows, shownLine(`  … ${others} more ${others === 1 ? "agent" : "agents"}`, "dim")];
}

/** `✓ 1.2 parser tests  1m05s, 7 turns, $0.0123: the first line of its answer`. */
export function childSummary(run: RunState, child: Agent, answer: string, columns: number): ShownLine {
	const { state } = child;
	const siblings = [...branchOf(run.agents, ROOT).children].flatMap((id) => run.agents[id] ?? []);
	const name = agentNames(siblings).get(child.id) ?? "";
	const { turns, costUsd } = totalsWithin(run, child.id);
	const facts = [
		formatDuration(ageOf(child, 0)),
		counted(turns, "turn"),
		...(costUsd === 0 ? [] : [formatCost(costUsd)]),
	];
	const isGood = state.is === "ended" && state.ending.by === "answer";
	const what = isGood || state.is !== "ended" ? headline(answer) : `${state.ending.by}: ${whyNot(state.ending)}`;
	const head = `${isGood ? "✓" : "✗"} ${child.id} ${name}`.trimEnd();
	const facts_ = `  ${facts.join(", ")}`;
	const room = columns - displayWidth(head) - displayWidth(facts_) - 2;
	const rest = what === "" || room < 4 ? "" : fitWidth(`: ${safeText(what)}`, room + 2);
	const tone: Style = isGood ? "good" : "bad";
	return {
		parts: [
			{ text: fitWidth(head, columns), style: tone },
			{ text: facts_, style: "dim" },
			{ text: rest, style: "plain" },
		],
	};
}

interface RowOf {
	readonly now: number;
	readonly columns: number;
	/** Of the column with the names. */
	readonly width: number;
	readonly name: string;
}

function childRow(run: RunState, child: Agent, { now, columns, width, name }: RowOf): ShownLine {
	const below = branchOf(run.agents, child.id);
	const agents = [...below.children].flatMap((id) => run.agents[id] ?? []);
	const counts = agents.length === 0 ? undefined : countDoings(agents);
	const { costUsd } = totalsWithin(run, child.id);
	const doing = doingOf(child);
	const since = child.state.is === "ended" ? child.state.at : child.state.since;
	const head = `  ${child.id} ${padWidth(name, width)}  ${doing} ${formatDuration(Math.max(0, now - since))}`;
	const money = costUsd === 0 ? "" : ` ${formatCost(costUsd)}`;
	const text = fitWidth(`${head}${money}  ${describeNow(child, { now, below: counts })}`, columns);
	return shownLine(text, doing === "retrying" || doing === "paused" ? "warn" : "dim");
}

function livingChildren(run: RunState): Agent[] {
	const { livingChildren: ids } = branchOf(run.agents, ROOT);
	const children = [...ids].flatMap((id: AgentId) => run.agents[id] ?? []).filter((agent) => !isOver(agent));
	return children.sort((a, b) => weight(a) - weight(b) || a.joinedAt - b.joinedAt);
}

/** Who only waits for a slot comes last. */
function weight({ state }: Agent): number {
	return state.is === "queued" ? 1 : 0;
}
