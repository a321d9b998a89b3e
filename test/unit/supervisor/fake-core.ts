/** A run as one part of the supervisor sees it: time is moved by hand, and what the part does is written down. */
import { DEFAULT_LIMITS } from "../../../src/core/limits/limits.ts";
import { DEFAULT_BOUNDS } from "../../../src/core/limits/shortage.ts";
import type { AgentId, Ending } from "../../../src/core/model/agent.ts";
import { reduce } from "../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { Conversations } from "../../../src/supervisor/conversations/conversation.ts";
import type { Input } from "../../../src/supervisor/decide/inputs-and-effects.ts";
import { initialState, type SupervisorState } from "../../../src/supervisor/decide/supervisor-state.ts";
import type { Machine } from "../../../src/supervisor/processes/machine.ts";
import { AgentRegistry } from "../../../src/supervisor/run/agent-registry.ts";
import type { Feed } from "../../../src/supervisor/run/feed.ts";
import type { Journal } from "../../../src/supervisor/run/journal.ts";
import type { RunCore, SupervisorHost } from "../../../src/supervisor/run/run-core.ts";
import { createRunTimers } from "../../../src/supervisor/run/run-core.ts";
import type { ToAgent } from "../../../src/wire/agent-messages.ts";
import type { RunSettings } from "../../../src/wire/supervise-order.ts";
import { joined, runOf } from "../core/run-of.ts";
import { type HandClock, handClock } from "../hand-clock.ts";
import type { Scenario } from "./decide/scenario.ts";

interface Given {
	/** What is dispatched is decided about by it. Without one it is only written down. */
	readonly scenario?: Scenario;
	/** Without it that of the scenario, or a run with agent 1. */
	readonly state?: SupervisorState;
	readonly settings?: Partial<RunSettings>;
	readonly host?: Partial<SupervisorHost>;
	readonly clock?: HandClock;
	readonly registry?: Partial<AgentRegistry>;
	readonly machine?: Partial<Machine>;
	readonly journal?: Partial<Journal>;
	readonly feed?: Partial<Feed>;
	readonly directory?: string;
	readonly dispatch?: (input: Input) => void;
}

export function fakeCore(given: Given = {}) {
	const { scenario, clock = handClock(), directory = "/none" } = given;
	const state = given.state ?? scenario?.state() ?? initialState(runOf(joined("1")));
	const dispatched: Input[] = [];
	const emitted: RunEvent[] = [];
	const sent: { agent: AgentId; message: ToAgent }[] = [];
	const stopped: Ending[] = [];
	const send = (agent: AgentId, message: ToAgent) => void sent.push({ agent, message });
	const core: RunCore = {
		settings: runSettings(given.settings),
		host: part<SupervisorHost>({ ...clock, now: () => clock.elapsed(), ...given.host }),
		...{ directory, shimDirectory: directory, state },
		get run() {
			return state.run;
		},
		timers: createRunTimers(clock),
		registry: Object.assign(new AgentRegistry(), { send }, given.registry),
		conversations: new Conversations(),
		feed: part<Feed>({ isWatched: () => false, ...given.feed }),
		journal: part<Journal>({ isBroken: false, message: () => {}, agentFile: () => {}, ...given.journal }),
		machine: part<Machine>({ end: async () => [], processesOf: () => [], ...given.machine }),
		dispatch: (input) => {
			dispatched.push(input);
			(given.dispatch ?? scenario?.dispatch)?.(input);
		},
		emit: (event) => {
			emitted.push(event);
			state.run = reduce(state.run, event);
		},
		stopRun: (ending) => void stopped.push(ending),
	};
	return { core, clock, state, dispatched, emitted, sent, stopped };
}

/** An object of which only these members are used. */
export function part<T>(some: Partial<T>): T {
	return some as T;
}

export function runSettings(given: Partial<RunSettings> = {}): RunSettings {
	const programs = { nodeProgram: "/node", agentProgram: "/agent.js" };
	return part<RunSettings>({
		...{ run: "r1", task: "count", cwd: "/work", model: "shell", home: "/none", socket: "/none/r1.sock" },
		...{ limits: DEFAULT_LIMITS, bounds: DEFAULT_BOUNDS, prices: [], env: {}, version: "0.1.0", ...programs },
		...given,
	});
}
