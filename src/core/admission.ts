/** Who may start, and who may take one more turn: every ancestor's limits are asked, so none can be walked around. */
import { type AgentId, depthOf, isOver, withAncestors } from "./agent.ts";
import { branchOf } from "./agent-index.ts";
import { type LimitReached, limitReached } from "./limits.ts";
import type { RunState } from "./run-state.ts";
import { shortageOfKind } from "./shortage.ts";

export const REFUSAL_CODES = ["depth", "agents", "children", "recursion", "disk", "budget", "stopping"] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];
export type Admission = { is: "admitted" } | { is: "refused"; code: RefusalCode; reason: string };

/** On one line of descent: a task that is handed on as it is twice is handed on for ever. */
export const MAX_SAME_TASK = 2;

/** May `parent` start one more child now? `taskKey` is of the child's task, as in `Agent`. */
export function admit(run: RunState, parent: AgentId, taskKey?: string): Admission {
	return admitOne(run, parent, { taskKey, places: 1 });
}

/** May a child of `parent` that was over go on? It has its place among the agents that were started. */
export function readmit(run: RunState, parent: AgentId): Admission {
	return admitOne(run, parent, { taskKey: undefined, places: 0 });
}

/** `places`: how many of `maxAgents` it takes. */
function admitOne(
	run: RunState,
	parent: AgentId,
	{ taskKey, places }: { taskKey: string | undefined; places: 0 | 1 },
): Admission {
	const refused = (code: RefusalCode, reason: string): Admission => ({ is: "refused", code, reason });
	const line = withAncestors(parent);
	if (run.stopping !== undefined) return refused("stopping", `the run is stopping (${run.stopping})`);
	for (const id of line) {
		const agent = run.agents[id];
		if (agent === undefined || isOver(agent)) return refused("stopping", `agent ${id} above it has ended`);
		if (run.closed.includes(id)) return refused("stopping", `agent ${id} is being stopped`);
	}
	const same = line.filter((id) => taskKey !== undefined && run.agents[id]?.taskKey === taskKey);
	if (same.length >= MAX_SAME_TASK)
		return refused(
			"recursion",
			`agents ${same.toReversed().join(" and ")} above it have this very task already: do it yourself, or split it and give each agent a part that is smaller and says so`,
		);
	const disk = shortageOfKind(run.shortages, "disk");
	if (disk !== undefined)
		return refused("disk", `${disk.reason}: make room, or do this task yourself, without starting agents`);
	const limited = (code: RefusalCode, { reason }: LimitReached) => refused(code, reason);
	for (const id of line) {
		const limits = run.agents[id]?.limits;
		if (limits === undefined) continue;
		const { maxDepth, maxAgents } = limits;
		if (depthOf(parent) + 1 - depthOf(id) > maxDepth)
			return limited("depth", limitReached("maxDepth", { most: maxDepth, holder: id }));
		if (branchOf(run.agents, id).agents + places > maxAgents)
			return limited("agents", limitReached("maxAgents", { most: maxAgents, holder: id }));
	}
	const maxChildren = run.agents[parent]?.limits.maxChildren ?? 0;
	if (branchOf(run.agents, parent).livingChildren.size >= maxChildren)
		return limited("children", limitReached("maxChildren", { most: maxChildren, holder: parent }));
	return { is: "admitted" };
}

/** The limit that forbids one more turn of this agent, or undefined. `reserved`: how many turns wait to start within an agent. */
export function turnLimitReached(
	run: RunState,
	id: AgentId,
	reserved: (within: AgentId) => number = () => 0,
): LimitReached | undefined {
	const agent = run.agents[id];
	if (agent === undefined) return undefined;
	const { maxTurns } = agent.limits;
	if (agent.turns >= maxTurns) return limitReached("maxTurns", { most: maxTurns, holder: id });
	for (const holder of withAncestors(id)) {
		const most = run.agents[holder]?.limits.maxTotalTurns;
		const taken = branchOf(run.agents, holder).turns + reserved(holder);
		if (most !== undefined && taken >= most) return limitReached("maxTotalTurns", { most, holder });
	}
	return undefined;
}
