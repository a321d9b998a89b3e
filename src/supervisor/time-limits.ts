/** The time limits of agents: each is kept from the agent's join on, and a person may change it. */
import { type AgentId, type Ending, ROOT } from "../core/agent.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import type { Deadlines } from "./calls/deadlines.ts";
import type { Input } from "./decide/input.ts";
import type { SupervisorState } from "./decide/supervisor-state.ts";
import { timeIsUp } from "./registered-agent.ts";
import type { RunTimers } from "./run-timers.ts";
import { keepTimeLimit } from "./time-limit.ts";

export interface TimeLimitsDeps {
	registry: Pick<AgentRegistry, "ifSame">;
	deadlines: Deadlines;
	timers: Pick<RunTimers, "after">;
	dispatch: (input: Input) => void;
	stopRun: (ending: Ending, isHurry: boolean) => void;
	state: () => SupervisorState;
}

export class TimeLimits {
	private readonly deps: TimeLimitsDeps;
	/** How often the limit of an agent was set: the newest one counts. */
	private readonly settings = new Map<AgentId, number>();

	constructor(deps: TimeLimitsDeps) {
		this.deps = deps;
	}

	/** The agent's time begins now. */
	begin(id: AgentId): void {
		this.deps.deadlines.begin(id, this.mostOf(id));
		this.keep(id);
	}

	/** The agent's limit is another one now; the time that it has had counts. */
	change(id: AgentId): void {
		this.deps.deadlines.change(id, this.mostOf(id));
		this.keep(id);
	}

	private keep(id: AgentId): void {
		const { registry, dispatch, stopRun } = this.deps;
		const setting = (this.settings.get(id) ?? 0) + 1;
		this.settings.set(id, setting);
		const stop = () => {
			if (this.settings.get(id) !== setting) return;
			const ending = timeIsUp(id, this.mostOf(id));
			if (id === ROOT) stopRun(ending, false);
			else dispatch({ is: "stop_asked", agent: id, ending });
		};
		keepTimeLimit(id, { ...this.deps, onOver: registry.ifSame(id, stop) });
	}

	private mostOf(id: AgentId): number {
		return this.deps.state().run.agents[id]?.limits.maxTimeMs ?? 0;
	}
}
