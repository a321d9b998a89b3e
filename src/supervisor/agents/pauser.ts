/** Pauses agents and lets them go on, for whoever asks; answers when the processes of a hard pause are frozen. */
import type { AgentId } from "../../core/model/agent.ts";
import { livingWithin } from "../../core/run/run-state.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { PauseRequest } from "../clients/client-listener.ts";
import type { Input } from "../decide/input.ts";
import { pauseRefusal } from "../decide/pauses.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import type { Machine } from "../processes/machine.ts";

export interface PauserDeps {
	machine: Pick<Machine, "freeze" | "thaw">;
	dispatch: (input: Input) => void;
	state: () => SupervisorState;
}

export class Pauser {
	private readonly deps: PauserDeps;
	private freezing: Promise<number> = Promise.resolve(0);

	constructor(deps: PauserDeps) {
		this.deps = deps;
	}

	handle(watcher: Pick<Watcher, "send">, request: PauseRequest): void {
		const { agent, from } = request;
		const { state, dispatch } = this.deps;
		const input: Extract<Input, { is: "pause_asked" | "continue_asked" }> =
			request.say === "pause"
				? { is: "pause_asked", agent, from, isHard: request.isHard }
				: { is: "continue_asked", agent, from };
		const reason = pauseRefusal(state(), input);
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		const before = this.pausedWithin(agent);
		dispatch(input);
		const after = this.pausedWithin(agent);
		if (request.say === "continue") return watcher.send({ say: "continued", agent, agents: before - after });
		if (!request.isHard) return watcher.send({ say: "paused", agent, agents: after, processes: 0 });
		void this.freezing.then((processes) => watcher.send({ say: "paused", agent, agents: after, processes }));
	}

	freeze(agents: readonly AgentId[]): void {
		this.freezing = this.deps.machine.freeze(agents);
	}

	thaw(agents: readonly AgentId[]): void {
		this.deps.machine.thaw(agents);
	}

	private pausedWithin(agent: AgentId): number {
		const { run } = this.deps.state();
		return livingWithin(run, agent).filter((id) => run.agents[id]?.paused !== undefined).length;
	}
}
