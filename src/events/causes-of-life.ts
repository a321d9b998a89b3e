/** Why an agent still lives: what it does, and when it waits, what the agents do that it waits for. */

import { type Agent, type AgentId, compareAgentIds, type RunningCommand } from "../core/agent.ts";
import { branchOf } from "../core/agent-index.ts";
import { defined } from "../core/defined.ts";
import { pauseOf } from "../core/pause.ts";
import type { RunState } from "../core/run-state.ts";
import type { Cause } from "./cause.ts";

export function causesOfLife(run: RunState, agent: Agent): Cause[] {
	const pause = pauseOf(agent);
	if (pause === undefined) return causesOfDoing(run, agent);
	const { by, since: at, from, isHard } = pause;
	return [{ is: "paused", at, agent: agent.id, by, from, ...defined({ isHard }) }, ...causesOfDoing(run, agent)];
}

function causesOfDoing(run: RunState, agent: Agent): Cause[] {
	const { id, state, asking } = agent;
	if (asking !== undefined && state.is !== "ended")
		return [{ is: "asks", at: asking.since, agent: id, questions: asking.questions }];
	switch (state.is) {
		case "queued":
			return [{ is: "queued", at: state.since, agent: id, ...defined({ reason: state.reason }) }];
		case "thinking":
			return [{ is: "thinks", at: state.since, agent: id, turn: state.turn, ...whyItWaits(run, state.retry) }];
		case "running":
		case "waiting":
			if (agent.running.length === 0) return [{ is: "between_turns", at: state.since, agent: id }];
			return agent.running.flatMap((command) => causesOfCommand(run, agent, command));
		case "listening":
			return [{ is: "listens", at: state.since, agent: id, ...defined({ reason: state.reason }) }];
		case "ended":
			return [];
	}
}

type Thinks = Extract<Cause, { is: "thinks" }>;

function whyItWaits({ slowed }: RunState, retry: Thinks["retry"]): Pick<Thinks, "retry" | "slowed"> {
	if (retry !== undefined || slowed === undefined) return defined({ retry });
	return { slowed: { reason: slowed.reason, until: slowed.until } };
}

function causesOfCommand(run: RunState, { id }: Agent, { command, since, pid, text }: RunningCommand): Cause[] {
	const children = livingChildren(run, id).filter((child) => child.command === command);
	if (children.length === 0) return [{ is: "runs", at: since, agent: id, command, pid, commandText: text }];
	return children.flatMap((child): Cause[] => [
		{ is: "waits_for", at: child.joinedAt, agent: id, child: child.id },
		...causesOfLife(run, child),
	]);
}

function livingChildren({ agents }: RunState, id: AgentId): Agent[] {
	const ids = [...branchOf(agents, id).livingChildren].sort(compareAgentIds);
	return ids.flatMap((child) => agents[child] ?? []);
}
