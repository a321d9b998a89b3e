/** The agents of a run as rows, each parent above its children. Pure. */

import { countDoings, type Doing, type DoingCounts, doingOf } from "../../core/doing.ts";
import { type Agent, type AgentId, depthOf, isOver, parentOf, ROOT } from "../../core/model/agent.ts";
import { totalTokens } from "../../core/model/usage.ts";
import { agentsInOrder, type RunState, type Totals } from "../../core/run/run-state.ts";
import { subtreeTotals } from "../../core/run/spending.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatCost } from "../../text/money.ts";
import { ageOf } from "../../text/states.ts";
import { fitWords } from "../../text/width/fit-words.ts";
import { namesInRun } from "../../view/agents/agent-names.ts";
import { doingWord } from "../../view/words/doing-word.ts";
import { describeNow } from "../../view/words/now.ts";
import { formatUsedTokens } from "../../view/words/usage.ts";
import type { Column } from "./columns.ts";
import { type ListedRun, stateOfAgent } from "./listed-run.ts";
import type { Tone } from "./paint.ts";
import { KINDS, kindCell } from "./run-rows.ts";

export interface AgentRow {
	readonly agent: Agent;
	readonly name: string;
	readonly now: string;
	/** With all agents below it. */
	readonly subtree: Totals | undefined;
}

const NARROW_NAME_COLUMNS = 16;
const NARROW = 50;
const WIDE = 100;
const WIDER = 120;
const WIDEST = 150;

/** `isWhole`: agents that are over, too. */
export function agentRows({ state, answers }: ListedRun, now: number, isWhole: boolean): AgentRow[] {
	if (state === undefined) return [];
	const agents = agentsInOrder(state);
	const names = namesInRun(agents);
	const below = countsBelow(state);
	const subtrees = subtreeTotals(state);
	return agents.flatMap((agent) => {
		const { id } = agent;
		if (isOver(agent) && !isWhole) return [];
		const does = describeNow(agent, { now, answer: answers?.get(id), below: below.get(id) });
		const isSaid = id === ROOT && (isOver(agent) || doingOf(agent) === "waiting"); // by the line of its run
		return [{ agent, name: names.get(id) ?? "", now: isSaid ? "" : does, subtree: subtrees.get(id) }];
	});
}

export function agentColumns(now: number, width: number | undefined): Column<AgentRow>[] {
	const isNarrow = width !== undefined && width < WIDE;
	return [
		{ head: "  AGENT", cell: ({ agent }) => ({ text: `${"  ".repeat(depthOf(agent.id) + 1)}${agent.id}` }) },
		{
			...{ head: "NAME", from: NARROW, cell: ({ name }) => ({ text: name }) },
			...(isNarrow && { most: { columns: NARROW_NAME_COLUMNS, cut: fitWords } }),
		},
		{ head: "PID", toRight: true, from: WIDE, cell: ({ agent }) => ({ text: isOver(agent) ? "" : String(agent.pid) }) },
		{ head: "STATE", cell: ({ agent }) => ({ text: stateWord(agent), tone: TONES[doingOf(agent)] }) },
		{ head: "FOR", toRight: true, cell: ({ agent }) => ({ text: inSeconds(timeIn(agent, now)) }) },
		{ head: "TURNS", toRight: true, from: WIDER, cell: ({ agent }) => ({ text: String(agent.turns) }) },
		{ head: "TOKENS", toRight: true, from: WIDER, cell: ({ agent }) => ({ text: tokensOf(agent) }) },
		...KINDS.map(([head, kind]): Column<AgentRow> => {
			return { head, toRight: true, from: WIDEST, cell: ({ agent }) => kindCell(agent.usage, kind) };
		}),
		{
			head: "COST",
			toRight: true,
			from: WIDE,
			cell: ({ agent }) => ({ text: agent.costUsd === 0 ? "" : formatCost(agent.costUsd) }),
		},
		{ head: "+BELOW", toRight: true, from: WIDER, cell: ({ subtree }) => ({ text: withBelow(subtree) }) },
		{
			head: "NOW",
			cell: ({ agent, now: text }) => ({ text, tone: isOver(agent) ? TONES[doingOf(agent)] : undefined }),
		},
	];
}

const TONES: Readonly<Record<Doing, Tone | undefined>> = {
	...{
		asking: "warn",
		running: "busy",
		thinking: "busy",
		retrying: "warn",
		queued: "dim",
		waiting: undefined,
		paused: "warn",
	},
	...{ listening: undefined, answered: "dim", stopped: "dim", failed: "bad" },
};

/** The word that the JSON has, too, but for what a person has to know first. */
function stateWord(agent: Agent): string {
	const doing = doingOf(agent);
	const isWorthKnowing = doing === "asking" || doing === "paused" || doing === "retrying" || doing === "listening";
	return isWorthKnowing ? doingWord(doing) : stateOfAgent(agent);
}

/** How long it has been in its state; of one that is over, how long it took. */
function timeIn(agent: Agent, now: number): number {
	return agent.state.is === "ended" ? ageOf(agent, now) : now - agent.state.since;
}

/** Whole seconds: milliseconds tell nobody anything here. */
function inSeconds(ms: number): string {
	return formatDuration(Math.max(0, Math.floor(ms / 1000)) * 1000).replace(/^0ms$/, "0s");
}

function tokensOf({ usage }: Agent): string {
	return totalTokens(usage) === 0 && !usage.uncounted ? "" : formatUsedTokens(usage);
}

/** `18.3k $0.0600`: what an agent and all below it used; blank for an agent with none below it. */
function withBelow(subtree: Totals | undefined): string {
	if (subtree === undefined || subtree.agents < 2) return "";
	const { usage, costUsd } = subtree;
	return totalTokens(usage) === 0 && costUsd === 0 ? "" : `${formatUsedTokens(usage)} ${formatCost(costUsd)}`;
}

/** For each agent with agents below it, what those do. */
function countsBelow({ agents }: RunState): ReadonlyMap<AgentId, DoingCounts> {
	const counts = new Map<AgentId, Record<Doing, number>>();
	for (const agent of Object.values(agents)) {
		const doing = doingOf(agent);
		for (let above = parentOf(agent.id); above !== undefined; above = parentOf(above)) {
			const known = counts.get(above) ?? { ...countDoings([]) };
			known[doing]++;
			counts.set(above, known);
		}
	}
	return counts;
}
