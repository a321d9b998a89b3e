/**
 * What of a run is shown to who is in a command of an agent: that agent and all below it. Of those above it only that they are there,
 * with what holds for the branch, too; of all others nothing. Pure.
 */

import { defined } from "../defined.ts";
import { type Agent, type AgentId, isWithin, NO_PROCESS, ROOT } from "../model/agent.ts";
import { NO_USAGE } from "../model/usage.ts";
import type { RunEvent } from "../schemas/run-event.ts";
import type { RunState } from "./run-state.ts";

export function stateWithin(state: RunState, branch: AgentId): RunState {
	if (branch === ROOT) return state;
	const { name: _, questions, lapsedQuestions, grants, worktrees, ...rest } = state;
	const ofBranch = <T extends { agent: AgentId }>(all: readonly T[] | undefined) =>
		all?.filter(({ agent }) => isWithin(agent, branch));
	const within = <T>(all: Readonly<Record<AgentId, T>>) =>
		Object.fromEntries(Object.entries(all).filter(([id]) => isWithin(id, branch)));
	const above = Object.values(state.agents).filter(({ id }) => id !== branch && isWithin(branch, id));
	return {
		...rest,
		task: state.agents[branch]?.task ?? "",
		agents: { ...Object.fromEntries(above.map((agent) => [agent.id, nameOnly(agent)])), ...within(state.agents) },
		closed: state.closed.filter((id) => isWithin(id, branch) || isWithin(branch, id)),
		...defined({
			questions: ofBranch(questions),
			lapsedQuestions: ofBranch(lapsedQuestions),
			grants: ofBranch(grants),
		}),
		...(worktrees !== undefined && { worktrees: within(worktrees) }),
	};
}

/** Undefined for what is not shown. */
export function eventWithin(event: RunEvent, branch: AgentId): RunEvent | undefined {
	if (branch === ROOT) return event;
	const of = event.event === "child_refused" ? event.parent : "agent" in event ? event.agent : undefined;
	if (of === undefined || of === null) return OF_ALL.has(event.event) ? event : undefined;
	return isWithin(of, branch) || (HOLDS_BELOW.has(event.event) && isWithin(branch, of)) ? event : undefined;
}

/** The event as the event log has it for who reads that: with how the run, and each agent above the branch, began. Undefined for what is not shown. */
export function recordedWithin(event: RunEvent, branch: AgentId): RunEvent | undefined {
	const seen = eventWithin(event, branch);
	if (seen !== undefined) return seen;
	switch (event.event) {
		case "run_started":
			return { ...event, task: "" };
		case "run_resumed":
		case "run_forked":
			return event;
		case "agent_joined":
			return isWithin(branch, event.agent) ? { ...event, task: "" } : undefined;
		case "agent_resumed":
			return isWithin(branch, event.agent) ? event : undefined;
		default:
			return undefined;
	}
}

const OF_ALL: ReadonlySet<RunEvent["event"]> = new Set([
	...(["run_stopping", "run_ended", "calls_slowed", "shortage_began", "shortage_ended"] as const),
]);
const HOLDS_BELOW: ReadonlySet<RunEvent["event"]> = new Set(["agent_paused", "agent_continued", "agent_stopping"]);

function nameOnly({ id, model, limits, joinedAt, paused }: Agent): Agent {
	const state = { is: "running", since: joinedAt } as const;
	const nothing = { task: "", turns: 0, commands: 0, running: [], usage: NO_USAGE, costUsd: 0 };
	return { ...NO_PROCESS, ...nothing, ...{ id, model, limits, joinedAt, state }, ...defined({ paused }) };
}
