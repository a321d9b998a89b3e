/** A run as the supervisor decides it, moved on by hand: what happens goes in, what was decided is kept. */

import { DEFAULT_LIMITS, type Limits } from "../../../../src/core/limits/limits.ts";
import type { AgentId, Ending } from "../../../../src/core/model/agent.ts";
import type { ModelRequest } from "../../../../src/core/model/model.ts";
import { NO_USAGE, type Usage } from "../../../../src/core/model/usage.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { decide } from "../../../../src/supervisor/decide/decide.ts";
import type {
	DraftMessage,
	Effect,
	Input,
	ResolvedParent,
} from "../../../../src/supervisor/decide/inputs-and-effects.ts";
import type { WaitingForSlot } from "../../../../src/supervisor/decide/slots.ts";
import type { Decision } from "../../../../src/supervisor/decide/supervisor-state.ts";
import { initialState, type SupervisorState } from "../../../../src/supervisor/decide/supervisor-state.ts";
import type { Join } from "../../../../src/wire/agent-messages.ts";
import { STARTED } from "../../core/run-of.ts";

export const REQUEST: ModelRequest = { system: "s", tools: [], messages: [], mayUseTools: true };

/** Where a process joins; its pid is the scenario's. */
export type Place =
	| Omit<Extract<ResolvedParent, { is: "root" }>, "pid">
	| Omit<Extract<ResolvedParent, { is: "child" }>, "pid">
	| Extract<ResolvedParent, { is: "unknown" }>;

export interface Scenario {
	state(): SupervisorState;
	/** As plain values. */
	slots(): { active: AgentId[]; waiting: WaitingForSlot[] };
	dispatch(input: Input): Decision;
	/** All decisions so far. */
	events: RunEvent[];
	effects: Effect[];
	root(limits?: Partial<Limits>): Decision;
	join(place: Place, join?: Partial<Join>): Decision;
	child(parent: AgentId, command?: number, limits?: Partial<Limits>): Decision;
	ask(agent: AgentId, isLast?: boolean): Decision;
	answer(agent: AgentId): Decision;
	/** Asks, gets its answer, and starts the command with this number. */
	runs(agent: AgentId, command: number): void;
	command(agent: AgentId, command: number): Decision;
	commandEnds(agent: AgentId, command: number): Decision;
	finish(agent: AgentId, ending?: Ending): Decision;
	gone(agent: AgentId): Decision;
	stop(agent: AgentId, ending?: Ending): Decision;
	/** Agents with a call to the model under way. */
	calling(): AgentId[];
}

export const CRASH: Ending = { by: "crashed", reason: "its process died" };
export const CTRL_C: Ending = { by: "stopped", reason: "Ctrl-C", signal: 2 };

/** `usage`: of each answer. */
export function startScenario(
	runLimits: Partial<Limits> = {},
	{ model = "shell", usage = NO_USAGE, isConversation }: { model?: string; usage?: Usage; isConversation?: true } = {},
): Scenario {
	const limits = { ...DEFAULT_LIMITS, ...runLimits };
	const started = { ...STARTED, model, limits, ...(isConversation && { isConversation }) } as RunEvent;
	const state = initialState(reduce(EMPTY_RUN, started));
	let now = 10_000;
	let connections = 0;
	const events: RunEvent[] = [];
	const effects: Effect[] = [];
	const dispatch = (input: Input) => {
		now += 1;
		const decision = decide(state, input, now);
		events.push(...decision.events);
		effects.push(...decision.effects);
		return decision;
	};
	const join = (place: Place, asked: Partial<Join> = {}) => {
		connections += 1;
		const resolved = { pid: 1000 + connections, ...place };
		const request: Join = {
			say: "join",
			pid: 1000 + connections,
			pidNamespace: null,
			cwd: "/work",
			limits: {},
			...asked,
		};
		return dispatch({ is: "joined", connection: connections, resolved, join: request });
	};
	const scenario: Scenario = {
		state: () => state,
		slots: () => ({ active: [...state.slots.active], waiting: state.slots.waiting }),
		...{ events, effects, dispatch, join },
		root: (limits = {}) => join({ is: "root", startTime: "7" }, { limits }),
		child: (parent, command, limits = {}) => {
			const at = { is: "child", parent, startTime: "7", ...(command === undefined ? {} : { command }) } as const;
			return join(at, { task: `work for ${parent}`, limits });
		},
		ask: (agent, isLast = false) => dispatch({ is: "asked", agent, request: REQUEST, kind: isLast ? "last" : "turn" }),
		answer: (agent) => dispatch({ is: "answered", agent, outcome: reply(usage), costUsd: 0 }),
		runs: (agent, command) => {
			scenario.ask(agent);
			scenario.answer(agent);
			scenario.command(agent, command);
		},
		command: (agent, command) =>
			dispatch({ is: "command_started", agent, command, text: "ls", pid: 1, startTime: "8", log: "out/0001.log" }),
		commandEnds: (agent, command) =>
			dispatch({
				is: "command_ended",
				agent,
				command,
				end: { by: "exit", code: 0 },
				outputBytes: 0,
				leftRunning: [],
			}),
		finish: (agent, ending = { by: "answer" }) => dispatch({ is: "finished", agent, ending }),
		gone: (agent) => dispatch({ is: "gone", agent, ending: CRASH }),
		stop: (agent, ending = CTRL_C) => dispatch({ is: "stop_asked", agent, ending }),
		calling: () => [...state.asks].flatMap(([id, { isCalling }]) => (isCalling ? [id] : [])),
	};
	return scenario;
}

function reply(usage: Usage) {
	const content = [{ type: "text" as const, text: "done" }];
	return { is: "reply" as const, content, stopReason: "end_turn", usage, model: "shell" };
}

export function told(decision: Pick<Decision, "effects">, agent: AgentId): DraftMessage[] {
	return decision.effects.flatMap((effect) => (effect.do === "tell" && effect.agent === agent ? [effect.message] : []));
}

export function eventNames(decision: Pick<Decision, "events">): string[] {
	return decision.events.map((event) => ("agent" in event ? `${event.event} ${event.agent}` : event.event));
}

export function refusals(decision: Pick<Decision, "effects">): { code: string; reason: string }[] {
	return decision.effects.flatMap((effect) =>
		effect.do === "refuse" ? [{ code: effect.code, reason: effect.reason }] : [],
	);
}
