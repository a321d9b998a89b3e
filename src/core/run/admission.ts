/** Whether an agent may start and may take one more turn. The limits of every ancestor count, so none can be circumvented. */

import { type LimitReached, limitReached } from "../limits/limits.ts";
import { shortageOfKind } from "../limits/shortage.ts";
import { type AgentId, depthOf, isOver, withAncestors } from "../model/agent.ts";
import { branchOf } from "./agent-index.ts";
import { turnsTaken } from "./chat-progress.ts";
import type { RunState } from "./run-state.ts";

export const REFUSAL_CODES = ["depth", "agents", "children", "recursion", "disk", "budget", "stopping"] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];
type Admission = { is: "admitted" } | { is: "refused"; code: RefusalCode; reason: string };

/** Agents with the same task on one line of descent: a task that is passed on unchanged twice is passed on forever. */
const MAX_SAME_TASK = 2;

type Refusal = Extract<Admission, { is: "refused" }>;

interface Candidate {
	readonly run: RunState;
	readonly parent: AgentId;
	/** The parent and all above it. */
	readonly line: readonly AgentId[];
	readonly taskKey: string | undefined;
	/** How many of `maxAgents` it takes. */
	readonly places: 0 | 1;
}

/** Whether `parent` may start one more child now. `taskKey` is that of the child's task, as in `Agent`. */
export function admit(run: RunState, parent: AgentId, taskKey?: string): Admission {
	return admission({ run, parent, line: withAncestors(parent), taskKey, places: 1 });
}

/** Whether an ended child of `parent` may be resumed. It is counted among the started agents already. */
export function readmit(run: RunState, parent: AgentId): Admission {
	return admission({ run, parent, line: withAncestors(parent), taskKey: undefined, places: 0 });
}

function admission(candidate: Candidate): Admission {
	for (const rule of [whileStopping, onRecursion, withoutDisk, beyondSubtree, beyondChildren]) {
		const refusal = rule(candidate);
		if (refusal !== undefined) return refusal;
	}
	return { is: "admitted" };
}

function whileStopping({ run, line }: Candidate): Refusal | undefined {
	if (run.stopping !== undefined) return refused("stopping", `the run is stopping (${run.stopping})`);
	for (const id of line) {
		const agent = run.agents[id];
		if (agent === undefined || isOver(agent)) return refused("stopping", `agent ${id} above it has ended`);
		if (run.closed.includes(id)) return refused("stopping", `agent ${id} is being stopped`);
	}
	return undefined;
}

function onRecursion({ run, line, taskKey }: Candidate): Refusal | undefined {
	const same = line.filter((id) => taskKey !== undefined && run.agents[id]?.taskKey === taskKey);
	if (same.length < MAX_SAME_TASK) return undefined;
	const above = same.toReversed().join(" and ");
	return refused(
		"recursion",
		`agents ${above} above it already have exactly this task: do it yourself, or split it and give each agent a smaller part with its own description`,
	);
}

function withoutDisk({ run }: Candidate): Refusal | undefined {
	const disk = shortageOfKind(run.shortages, "disk");
	if (disk === undefined) return undefined;
	return refused("disk", `${disk.reason}: free some space, or do this task yourself, without starting agents`);
}

function beyondSubtree({ run, parent, line, places }: Candidate): Refusal | undefined {
	for (const holder of line) {
		const limits = run.agents[holder]?.limits;
		if (limits === undefined) continue;
		const { maxDepth, maxAgents } = limits;
		if (depthOf(parent) + 1 - depthOf(holder) > maxDepth)
			return refused("depth", limitReached("maxDepth", { most: maxDepth, holder }).reason);
		if (branchOf(run.agents, holder).agents + places > maxAgents)
			return refused("agents", limitReached("maxAgents", { most: maxAgents, holder }).reason);
	}
	return undefined;
}

function beyondChildren({ run, parent }: Candidate): Refusal | undefined {
	const most = run.agents[parent]?.limits.maxChildren ?? 0;
	if (branchOf(run.agents, parent).livingChildren.size < most) return undefined;
	return refused("children", limitReached("maxChildren", { most, holder: parent }).reason);
}

function refused(code: RefusalCode, reason: string): Refusal {
	return { is: "refused", code, reason };
}

/** The limit that forbids one more turn of this agent, or undefined. `reserved`: turns within an agent that wait to start. */
export function turnLimitReached(
	run: RunState,
	id: AgentId,
	reserved: (within: AgentId) => number = () => 0,
): LimitReached | undefined {
	const agent = run.agents[id];
	if (agent === undefined) return undefined;
	const { maxTurns } = agent.limits;
	if (turnsTaken(agent) >= maxTurns) return limitReached("maxTurns", { most: maxTurns, holder: id });
	return totalTurnLimitReached(run, id, reserved);
}

/** The limit on the turns of all together that forbids one more turn of this agent, or undefined. */
export function totalTurnLimitReached(
	run: RunState,
	id: AgentId,
	reserved: (within: AgentId) => number = () => 0,
): LimitReached | undefined {
	for (const holder of withAncestors(id)) {
		const most = run.agents[holder]?.limits.maxTotalTurns;
		const taken = branchOf(run.agents, holder).turns + reserved(holder);
		if (most !== undefined && taken >= most) return limitReached("maxTotalTurns", { most, holder });
	}
	return undefined;
}
