/** The state of an agent after an event of its turns and commands. */

import { defined } from "../defined.ts";
import { type Agent, type AgentId, isOver } from "../model/agent.ts";
import { totalTokens } from "../model/usage.ts";
import type { RunEvent } from "../schemas/run-event.ts";
import { charged, withModel } from "./model-spending.ts";

export type TurnEvent = Extract<
	RunEvent,
	{
		event:
			| "turn_queued"
			| "turn_started"
			| "turn_retrying"
			| "turn_ended"
			| "turn_failed"
			| "turn_cancelled"
			| "history_compacted"
			| "command_started"
			| "command_ended"
			| "agent_repeats"
			| "agent_listening"
			| "agent_changed"
			| "todo_changed"
			| "aside_ended";
	}
>;

/**
 * Undefined when nothing changes. An agent that has ended stays ended, but is charged for its cancelled turn.
 * `livingChildren` counts the living child agents of a command.
 */
export function afterTurnEvent(
	agent: Agent,
	event: TurnEvent,
	livingChildren: (parent: AgentId, command: number) => number,
): Agent | undefined {
	if (event.event === "turn_cancelled" || event.event === "aside_ended") return charged(agent, event);
	return isOver(agent) ? undefined : whileAlive(agent, event, livingChildren);
}

function whileAlive(
	agent: Agent,
	event: Exclude<TurnEvent, { event: "turn_cancelled" | "aside_ended" }>,
	livingChildren: (parent: AgentId, command: number) => number,
): Agent {
	const { at } = event;
	switch (event.event) {
		case "turn_queued":
			return { ...agent, state: { is: "queued", since: at, ...defined({ reason: event.reason }) } };
		case "turn_started": {
			const { turn, isLast, purpose } = event;
			const isTurn = !isLast && purpose === undefined;
			const state = { is: "thinking", since: at, turn, ...defined({ purpose }) } as const;
			const answered = purpose ? agent : without(agent, "isUnanswered"); // the failed turn is repeated by this call
			return { ...answered, turns: agent.turns + (isTurn ? 1 : 0), state };
		}
		case "turn_retrying":
			return retrying(charged(agent, event), event);
		case "turn_ended": {
			const isCompaction = agent.state.is === "thinking" && agent.state.purpose === "compaction";
			const context = isCompaction ? {} : { contextTokens: totalTokens(event.usage) };
			return { ...charged(agent, event), ...context, state: { is: "running", since: at } };
		}
		case "turn_failed": {
			const unanswered = isInTurn(agent) ? ({ isUnanswered: true } as const) : {};
			return { ...charged(agent, event), ...unanswered, state: { is: "running", since: at } };
		}
		case "history_compacted":
			return { ...agent, compactions: (agent.compactions ?? 0) + 1, contextTokens: event.tokensAfter };
		case "command_started": {
			const { command, text, pid, log, toolUseId } = event;
			const children = livingChildren(agent.id, command); // a child may have joined before the message about its command
			const started = { command, text, pid, log, since: at, children, ...defined({ toolUseId }) };
			return withRunningState({ ...agent, commands: agent.commands + 1, running: [...agent.running, started] }, at);
		}
		case "command_ended": {
			const running = agent.running.filter((other) => other.command !== event.command);
			return withRunningState({ ...without(agent, "repeats"), running, lastCommandEnd: event.end }, at);
		}
		case "agent_repeats":
			return { ...agent, repeats: event.times };
		case "agent_listening":
			return { ...agent, state: { is: "listening", since: at, ...defined({ reason: event.reason }) } };
		case "agent_changed": {
			const { model, effort, limits, windowTokens } = event;
			const { windowTokens: _, ...rest } = agent;
			const changed = model === undefined ? agent : withModel(rest, model);
			return { ...changed, ...defined({ effort, limits, windowTokens }) };
		}
		case "todo_changed": {
			const { todo: _, ...rest } = agent;
			return event.items.length === 0 ? rest : { ...rest, todo: event.items };
		}
	}
}

/** Nearly always the agent does not have it; a copy of all but one property takes long. */
function without(agent: Agent, property: "isUnanswered" | "repeats"): Agent {
	if (agent[property] === undefined) return agent;
	const { [property]: _, ...rest } = agent;
	return rest;
}

/** True while the agent makes a call that counts as a turn. */
export function isInTurn({ state, turns }: Agent): boolean {
	return state.is === "thinking" && state.purpose === undefined && state.turn === turns;
}

function retrying(agent: Agent, event: Extract<TurnEvent, { event: "turn_retrying" }>): Agent {
	if (agent.state.is !== "thinking") return agent;
	const { at, attempt, waitMs, reason } = event;
	return { ...agent, state: { ...agent.state, retry: { attempt, nextAt: at + waitMs, reason, since: at } } };
}

/** True while a running command of the agent has living child agents: it lends its slot, and its clocks stand still. */
export function lendsSlot(agent: Agent): boolean {
	return agent.running.some(({ children }) => children > 0);
}

/** While commands run, an agent is `waiting` when it has child agents below them and `running` when not. */
export function withRunningState(agent: Agent, at: number): Agent {
	if (agent.state.is !== "running" && agent.state.is !== "waiting") return agent;
	const is = lendsSlot(agent) ? "waiting" : "running";
	return is === agent.state.is ? agent : { ...agent, state: { is, since: at } };
}
