/** Pauses agents and lets them go on, for whoever asks; answers when the processes of a hard pause are frozen. */

import { type AgentId, type Ending, ROOT } from "../../core/model/agent.ts";
import { livingWithin } from "../../core/run/run-state.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { RequestOf } from "../clients/client.ts";
import type { InputOf } from "../decide/inputs-and-effects.ts";
import { pauseRefusal } from "../decide/pauses.ts";
import { LAST_WORDS_MS, STOP_MS } from "../processes/machine.ts";
import type { RunCore } from "../run/run-core.ts";

export class Pauser {
	private readonly core: RunCore;
	private freezing: Promise<number> = Promise.resolve(0);

	constructor(core: RunCore) {
		this.core = core;
	}

	handle(watcher: Pick<Watcher, "send">, request: RequestOf<"pause" | "continue">): void {
		const { agent, by: from } = request;
		const { core } = this;
		const input: InputOf<"pause_asked" | "continue_asked"> =
			request.say === "pause"
				? { is: "pause_asked", agent, from, isHard: request.isHard }
				: { is: "continue_asked", agent, from };
		const reason = pauseRefusal(core.state, input);
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		const before = this.pausedWithin(agent);
		core.dispatch(input);
		const after = this.pausedWithin(agent);
		if (request.say === "continue") return watcher.send({ say: "continued", agent, agents: before - after });
		if (!request.isHard) return watcher.send({ say: "paused", agent, agents: after, processes: 0 });
		void this.freezing.then((processes) => watcher.send({ say: "paused", agent, agents: after, processes }));
	}

	freeze(agents: readonly AgentId[]): void {
		this.freezing = this.core.machine.freeze(agents);
	}

	thaw(agents: readonly AgentId[]): void {
		this.core.machine.thaw(agents);
	}

	private pausedWithin(agent: AgentId): number {
		const { run } = this.core;
		return livingWithin(run, agent).filter((id) => run.agents[id]?.paused !== undefined).length;
	}
}

/** Stops one agent and all below it. Done when nothing of it lives, or with the pids that could not be ended. */
export class Stopper {
	private readonly core: RunCore;
	private readonly waiting = new Map<AgentId, (() => void)[]>();

	constructor(core: RunCore) {
		this.core = core;
	}

	/** Called when the agent's connection has closed. */
	disconnected(agent: AgentId): void {
		const waiting = this.waiting.get(agent) ?? [];
		this.waiting.delete(agent);
		for (const resolve of waiting) resolve();
	}

	/** Answers the watcher when the stop is done; a stop of the root is answered by the end of the run. */
	handle(watcher: Watcher, request: RequestOf<"stop_agent">): void {
		const { agent, reason: words, signal, isHurry, by } = request;
		const reason = by === null ? words : `${words} by agent ${by}`;
		const ending: Ending = { by: "stopped", reason: oneLine(reason), signal };
		if (agent === ROOT) return this.core.stopRun(ending, isHurry);
		void this.stop(agent, ending, isHurry).then((survivors) => watcher.send({ say: "stopped", agent, survivors }));
	}

	/** `isHurry`: killed at once. Resolves to the pids that survived. */
	async stop(agent: AgentId, ending: Ending, isHurry: boolean): Promise<number[]> {
		const { core } = this;
		const { machine, timers, registry } = core;
		const disconnected = new Promise<void>((resolve) => {
			if (!registry.isConnected(agent)) return resolve();
			this.waiting.set(agent, [...(this.waiting.get(agent) ?? []), resolve]);
			timers.after(STOP_MS + LAST_WORDS_MS, resolve);
		});
		core.dispatch({ is: "stop_asked", agent, ending });
		if (isHurry) await machine.end(agent, { includesAgent: true, isHurry });
		else await disconnected;
		const survivors = await machine.end(agent, { includesAgent: true, isHurry });
		return survivors.map(({ pid }) => pid);
	}
}
