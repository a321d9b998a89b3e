/**
 * The tree that everyone shows. One pure function makes it from the events, for the supervisor, the dashboard, `ps`
 * and a replay alike; an agent's state is derived from what happened, never set by hand.
 */
import { type Agent, type AgentId, type AgentState, compareAgentIds, type Ending, isOver, parentOf } from "./agent.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { addUsage, NO_USAGE, type Usage } from "./model.ts";
import type { RunEvent } from "./run-event.ts";
import type { Shortage } from "./shortage.ts";

export interface RunState {
	readonly run: string;
	readonly task: string;
	readonly cwd: string;
	readonly model: string;
	readonly limits: Limits;
	readonly pid: number;
	readonly startTime: string;
	readonly startedAt: number;
	readonly agents: Readonly<Record<AgentId, Agent>>;
	readonly refused: number;
	/** Why the run is being stopped. */
	readonly stopping?: string;
	/** Agents at or below which nothing may start any more. */
	readonly closed: readonly AgentId[];
	/** What there is too little of now. */
	readonly shortages: readonly Shortage[];
	readonly ended?: {
		readonly at: number;
		readonly ending: Ending;
		readonly exitCode: number;
		readonly survivors: readonly number[];
		readonly leftRunning?: readonly { pid: number; name: string }[];
	};
}

export const EMPTY_RUN: RunState = {
	run: "",
	task: "",
	cwd: "",
	model: "",
	limits: DEFAULT_LIMITS,
	pid: 0,
	startTime: "",
	startedAt: 0,
	agents: {},
	refused: 0,
	closed: [],
	shortages: [],
};

/** How a changed agent gets into the state. */
type Put = (state: RunState, agent: Agent) => RunState;

const copying: Put = (state, agent) => ({ ...state, agents: { ...state.agents, [agent.id]: agent } });

const inPlace: Put = (state, agent) => {
	(state.agents as Record<AgentId, Agent>)[agent.id] = agent;
	return state;
};

export function reduce(state: RunState, event: RunEvent): RunState {
	return afterEvent(state, event, copying);
}

/** For a replay of many events, from a state that nobody else holds: its `agents` are changed, the rest is new. */
export function reduceInPlace(state: RunState, event: RunEvent): RunState {
	return afterEvent(state, event, inPlace);
}

function afterEvent(state: RunState, event: RunEvent, put: Put): RunState {
	switch (event.event) {
		case "run_started": {
			const { event: _, at, version: __, ...rest } = event;
			return { ...state, ...rest, startedAt: at };
		}
		case "agent_joined":
			return countChild(put(state, joined(event)), event.agent, { by: 1, at: event.at }, put);
		case "child_refused":
			return { ...state, refused: state.refused + 1 };
		case "agent_stopping":
			return { ...state, closed: [...state.closed, event.agent] };
		case "agent_ended": {
			const agent = state.agents[event.agent];
			if (agent === undefined || isOver(agent)) return state;
			const ended: AgentState = { is: "ended", at: event.at, ending: event.ending };
			return countChild(
				put(state, { ...agent, state: ended, running: [] }),
				event.agent,
				{ by: -1, at: event.at },
				put,
			);
		}
		case "run_stopping":
			return { ...state, stopping: state.stopping ?? event.reason };
		case "run_ended": {
			const { event: _, ...ended } = event;
			return { ...state, ended };
		}
		case "shortage_began": {
			const { what, reason } = event;
			return { ...state, shortages: [...state.shortages, { what, reason }] };
		}
		case "shortage_ended":
			return { ...state, shortages: state.shortages.filter(({ what }) => what !== event.what) };
		case "turn_refused":
			return state;
		case "turn_queued":
		case "turn_started":
		case "turn_ended":
		case "turn_failed":
		case "command_started":
		case "command_ended":
		case "agent_repeats":
			return reduceTurn(state, event, put);
	}
}

type TurnEvent = Extract<
	RunEvent,
	{
		event:
			| "turn_queued"
			| "turn_started"
			| "turn_ended"
			| "turn_failed"
			| "command_started"
			| "command_ended"
			| "agent_repeats";
	}
>;

function reduceTurn(state: RunState, event: TurnEvent, put: Put): RunState {
	const agent = state.agents[event.agent];
	// An agent that is over stays as it ended, whatever comes late.
	return agent === undefined || isOver(agent) ? state : put(state, afterTurnEvent(state, agent, event));
}

function afterTurnEvent(state: RunState, agent: Agent, event: TurnEvent): Agent {
	const { at } = event;
	switch (event.event) {
		case "turn_queued":
			return { ...agent, state: { is: "queued", since: at } };
		case "turn_started":
			return {
				...agent,
				turns: agent.turns + (event.isLast ? 0 : 1),
				state: { is: "thinking", since: at, turn: event.turn },
			};
		case "turn_ended":
		case "turn_failed":
			return {
				...agent,
				state: { is: "running", since: at },
				usage: addUsage(agent.usage, event.usage),
				costUsd: agent.costUsd === null || event.costUsd === null ? null : agent.costUsd + event.costUsd,
			};
		case "command_started": {
			const { command, text, pid, log, toolUseId } = event;
			const children = livingChildrenOf(state, agent.id, command); // one may have joined before we heard of the command
			const running = [
				...agent.running,
				{ command, text, pid, log, since: at, children, ...(toolUseId === undefined ? {} : { toolUseId }) },
			];
			return withFacts({ ...agent, commands: agent.commands + 1, running }, at);
		}
		case "command_ended": {
			const running = agent.running.filter((other) => other.command !== event.command);
			const { repeats: _, ...rest } = agent;
			return withFacts({ ...rest, running, lastCommandEnd: event.end }, at);
		}
		case "agent_repeats":
			return { ...agent, repeats: event.times };
	}
}

/** All agents in tree order. */
export function agentsInOrder(state: RunState): Agent[] {
	return Object.values(state.agents).sort((a, b) => compareAgentIds(a.id, b.id));
}

export function livingAgents(state: RunState): AgentId[] {
	return Object.values(state.agents).flatMap((agent) => (isOver(agent) ? [] : [agent.id]));
}

export interface Totals {
	readonly agents: number;
	readonly alive: number;
	readonly turns: number;
	readonly usage: Usage;
	readonly costUsd: number | null;
}

export function totalsOf(agents: readonly Agent[]): Totals {
	let totals: Totals = { agents: agents.length, alive: 0, turns: 0, usage: NO_USAGE, costUsd: 0 };
	for (const agent of agents) {
		totals = {
			agents: totals.agents,
			alive: totals.alive + (isOver(agent) ? 0 : 1),
			turns: totals.turns + agent.turns,
			usage: addUsage(totals.usage, agent.usage),
			costUsd: totals.costUsd === null || agent.costUsd === null ? null : totals.costUsd + agent.costUsd,
		};
	}
	return totals;
}

/** True while a running command of the agent has living child agents: it lends its slot, and its clocks stand still. */
export function lendsSlot(agent: Agent): boolean {
	return agent.running.some(({ children }) => children > 0);
}

export function livingChildrenOf(state: RunState, parent: AgentId, command: number): number {
	return Object.values(state.agents).filter(
		(child) => parentOf(child.id) === parent && child.command === command && !isOver(child),
	).length;
}

function joined(event: Extract<RunEvent, { event: "agent_joined" }>): Agent {
	const { event: _, at, agent: id, ...rest } = event;
	return {
		id,
		...rest,
		joinedAt: at,
		state: { is: "queued", since: at },
		turns: 0,
		commands: 0,
		running: [],
		usage: NO_USAGE,
		costUsd: 0,
	};
}

/** The parent's running command has one living child more or less. */
function countChild(state: RunState, child: AgentId, { by, at }: { by: 1 | -1; at: number }, put: Put): RunState {
	const parent = state.agents[parentOf(child) ?? ""];
	const command = state.agents[child]?.command;
	if (parent === undefined || isOver(parent) || command === undefined) return state;
	const running = parent.running.map((other) =>
		other.command === command ? { ...other, children: other.children + by } : other,
	);
	return put(state, withFacts({ ...parent, running }, at));
}

/** While commands run, an agent is `waiting` when it has child agents below them and `running` when not. */
function withFacts(agent: Agent, at: number): Agent {
	if (agent.state.is !== "running" && agent.state.is !== "waiting") return agent;
	const is = lendsSlot(agent) ? "waiting" : "running";
	return is === agent.state.is ? agent : { ...agent, state: { is, since: at } };
}
