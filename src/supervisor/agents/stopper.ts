/** Stops one agent and all below it. Done when nothing of it lives, or with the pids that could not be ended. */
import { type AgentId, type Ending, ROOT } from "../../core/model/agent.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import type { FromWatcher, Watcher } from "../../wire/watcher-messages.ts";
import type { Input } from "../decide/input.ts";
import { LAST_WORDS_MS, type Machine, STOP_MS } from "../processes/machine.ts";
import type { RunTimers } from "../run-timers.ts";

export interface StopperDeps {
	dispatch: (input: Input) => void;
	machine: Pick<Machine, "end">;
	timers: RunTimers;
	stopRun: (ending: Ending, isHurry: boolean) => void;
	registry: { isConnected(agent: AgentId): boolean };
}

export class Stopper {
	private readonly deps: StopperDeps;
	private readonly waiting = new Map<AgentId, (() => void)[]>();

	constructor(deps: StopperDeps) {
		this.deps = deps;
	}

	/** Called when the agent's connection has closed. */
	disconnected(agent: AgentId): void {
		const waiting = this.waiting.get(agent) ?? [];
		this.waiting.delete(agent);
		for (const resolve of waiting) resolve();
	}

	/** Answers the watcher when the stop is done; a stop of the root is answered by the end of the run. */
	handle(watcher: Watcher, request: Extract<FromWatcher, { say: "stop_agent" }>): void {
		const { agent, reason, signal, isHurry } = request;
		const ending: Ending = { by: "stopped", reason: oneLine(reason), signal };
		if (agent === ROOT) return this.deps.stopRun(ending, isHurry);
		void this.stop(agent, ending, isHurry).then((survivors) => watcher.send({ say: "stopped", agent, survivors }));
	}

	/** `isHurry`: killed at once. Resolves to the pids that survived. */
	async stop(agent: AgentId, ending: Ending, isHurry: boolean): Promise<number[]> {
		const { dispatch, machine, timers, registry } = this.deps;
		const disconnected = new Promise<void>((resolve) => {
			if (!registry.isConnected(agent)) return resolve();
			this.waiting.set(agent, [...(this.waiting.get(agent) ?? []), resolve]);
			timers.after(STOP_MS + LAST_WORDS_MS, resolve);
		});
		dispatch({ is: "stop_asked", agent, ending });
		if (isHurry) await machine.end(agent, { includesAgent: true, isHurry });
		else await disconnected;
		const survivors = await machine.end(agent, { includesAgent: true, isHurry });
		return survivors.map(({ pid }) => pid);
	}
}
