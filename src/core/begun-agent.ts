/** An agent as it begins: when it joins, and when it is resumed. Pure. */
import { type Agent, type AgentState, parentOf } from "./agent.ts";
import type { Agents } from "./agent-index.ts";
import { defined } from "./defined.ts";
import { withModel } from "./model-spending.ts";
import { inheritedPause } from "./pause.ts";
import type { RunEvent } from "./run-event.ts";
import { NO_USAGE } from "./usage.ts";

export function joined(event: Extract<RunEvent, { event: "agent_joined" }>, agents: Agents): Agent {
	const { event: _, at, agent: id, ...rest } = event;
	return {
		id,
		...rest,
		joinedAt: at,
		state: { is: "queued", since: at },
		...inheritedPause(agents, parentOf(id)),
		turns: 0,
		commands: 0,
		running: [],
		usage: NO_USAGE,
		costUsd: 0,
	};
}

export function rejoined(agent: Agent, event: Extract<RunEvent, { event: "agent_resumed" }>): Agent {
	const { pid, startTime, limits, at, command, windowTokens, sandbox, model = agent.model } = event;
	const {
		command: _,
		repeats: __,
		windowTokens: ___,
		sandbox: _____,
		isUnanswered,
		hadListened: ____,
		...rest
	} = agent;
	const turns = isUnanswered ? agent.turns - 1 : agent.turns;
	const state: AgentState = { is: "queued", since: at };
	const again = { ...withModel(rest, model), pid, startTime, limits, turns, state, running: [] };
	return { ...again, ...defined({ command, windowTokens, sandbox }) };
}
