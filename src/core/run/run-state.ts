/**
 * The tree that everyone shows. One pure function makes it from the events, for the supervisor, the dashboard, `ps`
 * and a replay alike; an agent's state is derived from what happened, never set by hand.
 */

import { defined } from "../defined.ts";
import { DEFAULT_LIMITS } from "../limits/limits.ts";
import {
	type Agent,
	type AgentId,
	type AgentState,
	compareAgentIds,
	isOver,
	NO_PROCESS,
	parentOf,
	ROOT,
} from "../model/agent.ts";
import { addDollars, addUsage, NO_USAGE, type Usage } from "../model/usage.ts";
import type { RunEvent } from "../schemas/run-event.ts";
import type { RunState } from "../schemas/run-state.ts";
import { type Agents, branchOf, copyAgents, type Put, putAgent, withAgent } from "./agent-index.ts";
import { afterTalk } from "./chat-progress.ts";
import { afterFilesEvent, type FilesEvent, isFilesEvent } from "./file-events.ts";
import { withModel } from "./model-spending.ts";
import { afterPauseEvent, inheritedPause, type PauseEvent } from "./pause.ts";
import { afterQuestionEvent, isQuestionEvent, type QuestionEvent, withoutQuestionsOf } from "./questions.ts";
import { afterTurnEvent, isInTurn, type TurnEvent, withRunningState } from "./turn-state.ts";
import { afterMessageEvent, type MessageEvent } from "./waiting-messages.ts";

export type { RunState } from "../schemas/run-state.ts";

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

const copying: Put = (state, agent) => ({ ...state, agents: withAgent(state.agents, agent) });

const inPlace: Put = (state, agent) => {
	putAgent(state.agents, agent);
	return state;
};

export function reduce(state: RunState, event: RunEvent): RunState {
	return afterEvent(state, event, copying);
}

/** As `reduce`, but changes `state.agents` in place, which the caller must own: many events then cost no copies. */
export function reduceInPlace(state: RunState, event: RunEvent): RunState {
	return afterEvent(state, event, inPlace);
}

/**
 * A `reduce` for many events in a row: it copies the agents of the state that it is given first, and from then on changes its
 * copy. So what the last event gives costs one copy, however many there are, and the states between are not to be kept.
 */
export function createBatchReduce(): typeof reduce {
	let own: Agents | undefined;
	return (state, event) => {
		const changeable = state.agents === own ? state : { ...state, agents: copyAgents(state.agents) };
		own = changeable.agents;
		return reduceInPlace(changeable, event);
	};
}

function afterEvent(state: RunState, event: RunEvent, put: Put): RunState {
	const before = state.agents[ROOT];
	const next = applied(state, event, put);
	const root = next.agents[ROOT];
	if (root === undefined || (root === before && event.event !== "tree_kept")) return next;
	const isResumed = event.event === "agent_resumed" && root.talked !== undefined; // headless, one turn of a conversation
	if (next.isConversation !== true && !isResumed) return next;
	const talked = afterTalk(before, root, event);
	return talked === root ? next : put(next, talked);
}

function applied(state: RunState, event: RunEvent, put: Put): RunState {
	if (isFilesEvent(event)) return afterFilesEvent(state, event);
	return isQuestionEvent(event) ? afterQuestionEvent(state, event, put) : appliedOther(state, event, put);
}

type OtherEvent = Exclude<RunEvent, FilesEvent | QuestionEvent>;

function appliedOther(state: RunState, event: OtherEvent, put: Put): RunState {
	switch (event.event) {
		case "run_started":
		case "run_resumed":
		case "run_forked":
		case "run_named":
			return runBegins(state, event, put);
		case "agent_joined":
		case "agent_resumed":
			return agentBegins(state, event, put);
		case "child_refused":
			return { ...state, refused: state.refused + 1 };
		case "agent_ended":
			return agentEnded(state, event, put);
		case "agent_stopping":
		case "run_stopping":
		case "run_ended":
			return afterEndEvent(state, event);
		case "shortage_began":
		case "shortage_ended":
		case "calls_slowed":
			return afterShortageEvent(state, event);
		case "turn_refused":
		case "budget_noticed":
		case "client_refused":
		case "host_refused":
		case "agent_interrupted":
		case "message_unheard": // it waits on, for when the agent is resumed
			return state;
		case "agent_paused":
		case "agent_continued":
		case "message_sent":
		case "message_delivered":
		case "message_withdrawn":
			return afterAct(state, event, put);
		case "turn_queued":
		case "turn_started":
		case "turn_retrying":
		case "turn_ended":
		case "turn_failed":
		case "turn_cancelled":
		case "history_compacted":
		case "command_started":
		case "command_ended":
		case "agent_repeats":
		case "agent_listening":
		case "agent_changed":
		case "todo_changed":
		case "aside_ended":
			return afterOwnEvent(state, event, put);
	}
}

type EndEvent = Extract<RunEvent, { event: "agent_stopping" | "run_stopping" | "run_ended" }>;

function afterEndEvent(state: RunState, event: EndEvent): RunState {
	switch (event.event) {
		case "agent_stopping":
			return { ...state, closed: [...state.closed, event.agent] };
		case "run_stopping":
			return { ...state, stopping: state.stopping ?? event.reason };
		case "run_ended": {
			const { event: _, ...ended } = event;
			return { ...state, ended };
		}
	}
}

function afterOwnEvent(state: RunState, event: TurnEvent, put: Put): RunState {
	const agent = state.agents[event.agent];
	const changed = agent === undefined ? undefined : afterTurnEvent(agent, event, childrenOf(state));
	const next = changed === undefined ? state : put(state, changed);
	if (event.event !== "agent_changed" || event.agent !== ROOT) return next;
	const { model, limits } = event;
	return { ...next, ...defined({ model, limits }) }; // what holds for the root is the run's
}

function agentEnded(state: RunState, event: Extract<RunEvent, { event: "agent_ended" }>, put: Put): RunState {
	const agent = state.agents[event.agent];
	if (agent === undefined || isOver(agent)) return state;
	const after = withoutQuestionsOf(put(state, endedAgent(agent, event)), event.agent, put);
	return countChild(after, event.agent, { by: -1, at: event.at }, put);
}

/** Pauses and messages: what people, and agents above or beside an agent, do to it. */
function afterAct(state: RunState, event: PauseEvent | MessageEvent, put: Put): RunState {
	if (event.event === "agent_paused" || event.event === "agent_continued")
		return afterPauseEvent(state.agents, event).reduce(put, state);
	const agent = state.agents[event.agent];
	return agent === undefined ? state : put(state, afterMessageEvent(agent, event));
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
			costUsd: addDollars(totals.costUsd, agent.costUsd),
		};
	}
	return totals;
}

/** The living agents at and below `root`, in tree order. */
export function livingWithin(state: RunState, root: AgentId): AgentId[] {
	const { living, children } = branchOf(state.agents, root);
	if (living === 0) return [];
	const agent = state.agents[root];
	const own = agent === undefined || isOver(agent) ? [] : [root];
	if (living === own.length) return own;
	const below = [...children].sort(compareAgentIds).flatMap((child) => livingWithin(state, child));
	return [...own, ...below];
}

/** How many living children a command of `parent` has. */
export function livingChildrenOf(state: RunState, parent: AgentId, command: number): number {
	return branchOf(state.agents, parent).livingByCommand.get(command) ?? 0;
}

type BeginEvent = Extract<RunEvent, { event: "agent_joined" | "agent_resumed" }>;

function agentBegins(state: RunState, event: BeginEvent, put: Put): RunState {
	const agent = begunBy(event, state.agents);
	if (agent === undefined) return state;
	return countChild(put(state, agent), agent.id, { by: 1, at: event.at }, put);
}

function childrenOf(state: RunState) {
	return (parent: AgentId, command: number) => livingChildrenOf(state, parent, command);
}

/** Undefined for one that is resumed and was never there. */
function begunBy(event: BeginEvent, agents: RunState["agents"]): Agent | undefined {
	if (event.event === "agent_joined") return joined(event, agents);
	const before = agents[event.agent];
	return before === undefined ? undefined : rejoined(before, event);
}

/** The parent's running command has one living child more or less. */
function countChild(state: RunState, child: AgentId, { by, at }: { by: 1 | -1; at: number }, put: Put): RunState {
	const parent = state.agents[parentOf(child) ?? ""];
	const command = state.agents[child]?.command;
	if (parent === undefined || isOver(parent) || command === undefined) return state;
	const running = parent.running.map((other) =>
		other.command === command ? { ...other, children: other.children + by } : other,
	);
	return put(state, withRunningState({ ...parent, running }, at));
}

/** An agent as it is when it has ended, with what matters of its end when it is resumed. */
function endedAgent(
	{ outside: _, ...agent }: Agent,
	{ at, ending }: Extract<RunEvent, { event: "agent_ended" }>,
): Agent {
	return {
		...agent,
		state: { is: "ended", at, ending },
		running: [],
		...(isInTurn(agent) && { isUnanswered: true }),
		...(agent.state.is === "listening" && { hadListened: true }),
	};
}

type ShortageEvent = Extract<RunEvent, { event: "shortage_began" | "shortage_ended" | "calls_slowed" }>;

function afterShortageEvent(state: RunState, event: ShortageEvent): RunState {
	switch (event.event) {
		case "shortage_began": {
			const { what, reason } = event;
			return { ...state, shortages: [...state.shortages, { what, reason }] };
		}
		case "shortage_ended":
			return { ...state, shortages: state.shortages.filter(({ what }) => what !== event.what) };
		case "calls_slowed": {
			const { at, reason, waitMs, maxCalls } = event;
			return { ...state, slowed: { reason, until: at + waitMs, maxCalls } };
		}
	}
}

function joined(event: Extract<RunEvent, { event: "agent_joined" }>, agents: Agents): Agent {
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

function rejoined(agent: Agent, event: Extract<RunEvent, { event: "agent_resumed" }>): Agent {
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

type RunBeginEvent = Extract<RunEvent, { event: "run_started" | "run_resumed" | "run_forked" | "run_named" }>;

/** How a run begins: for the first time, with another supervisor after its end, or as a copy of another run; and what it is called. */
function runBegins(state: RunState, event: RunBeginEvent, put: Put): RunState {
	switch (event.event) {
		case "run_started":
			return runStarted(state, event);
		case "run_resumed":
			return resumed(state, event);
		case "run_forked":
			return forked(state, event, put);
		case "run_named":
			return named(state, event.name);
	}
}

function runStarted(state: RunState, event: Extract<RunEvent, { event: "run_started" }>): RunState {
	const { event: _, at, version: __, ...rest } = event;
	return { ...state, ...rest, startedAt: at };
}

function named({ name: _, ...state }: RunState, name: string): RunState {
	return name === "" ? state : { ...state, name };
}

/** A resumed run forgets its end, its stops and its shortages; each agent stays ended until it is resumed itself. */
function resumed(state: RunState, event: Extract<RunEvent, { event: "run_resumed" }>): RunState {
	const { ended: _, stopping: __, slowed: ___, isConversation: ____, ...others } = state;
	const { skipsPermissions: _____, noSandbox: ______, ...rest } = others;
	const { pid, startTime, limits, model = state.model, cwd = state.cwd } = event;
	const { isConversation, skipsPermissions, noSandbox } = event;
	const resumes = (state.resumes ?? 0) + 1;
	const now = { pid, startTime, limits, model, cwd, ...defined({ isConversation, skipsPermissions, noSandbox }) };
	return { ...rest, ...now, closed: [], shortages: [], resumes };
}

/** A copy has spent nothing yet, and has no process and no worktree: those are the first's, and so is what waited or was paused. */
function forked(state: RunState, { run }: Extract<RunEvent, { event: "run_forked" }>, put: Put): RunState {
	const {
		ended: _,
		stopping: __,
		slowed: ___,
		questions: ____,
		lapsedQuestions: _____,
		grants: ______,
		worktrees: _______,
		...rest
	} = state;
	const copy: RunState = { ...rest, ...NO_PROCESS, run, closed: [], shortages: [] };
	return Object.values(state.agents).reduce((after, { paused: _, messages: __, asking: ___, ...agent }) => {
		return put(after, { ...agent, ...NO_PROCESS, usage: NO_USAGE, costUsd: 0 });
	}, copy);
}
