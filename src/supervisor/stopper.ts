/** Stops one agent and all below it, and tells when it is done: when nothing of it lives, or with what could not be ended. */
import { type AgentId, type Ending, ROOT } from "../core/agent.ts";
import { GRACE_MS } from "../processes/end-processes.ts";
import type { FromWatcher } from "../protocol/watcher-messages.ts";
import type { Clocks } from "./clocks.ts";
import type { Input } from "./decide/input.ts";
import { LAST_WORDS_MS, type Terminator } from "./processes/terminator.ts";
import type { Watcher } from "./record/feed.ts";

export interface StopperDeps {
	dispatch: (input: Input) => void;
	terminator: Terminator;
	clocks: Clocks;
	stopRun: (ending: Ending, isHurry: boolean) => void;
	registry: { isConnected(agent: AgentId): boolean };
}

export class Stopper {
	private readonly facts: StopperDeps;
	private readonly waiting = new Map<AgentId, (() => void)[]>();

	constructor(facts: StopperDeps) {
		this.facts = facts;
	}

	/** The agent's connection has closed. */
	gone(agent: AgentId): void {
		const waiting = this.waiting.get(agent) ?? [];
		this.waiting.delete(agent);
		for (const resolve of waiting) resolve();
	}

	/** The root's stop is answered by the end of the run. */
	asked(watcher: Watcher, request: Extract<FromWatcher, { say: "stop_agent" }>): void {
		const { agent, reason, signal, isHurry } = request;
		const ending: Ending = { by: "stopped", reason, signal };
		if (agent === ROOT) return this.facts.stopRun(ending, isHurry);
		void this.stop(agent, ending, isHurry).then((survivors) => watcher.send({ say: "stopped", agent, survivors }));
	}

	/** `isHurry`: killed at once. Resolves to the pids that survived. */
	async stop(agent: AgentId, ending: Ending, isHurry: boolean): Promise<number[]> {
		const { dispatch, terminator, clocks, registry } = this.facts;
		const isGone = new Promise<void>((resolve) => {
			if (!registry.isConnected(agent)) return resolve();
			this.waiting.set(agent, [...(this.waiting.get(agent) ?? []), resolve]);
			clocks.after(GRACE_MS + 2 * LAST_WORDS_MS, resolve);
		});
		dispatch({ is: "stop_asked", agent, ending });
		if (isHurry) await terminator.end(agent, { isGone: true, graceMs: 0 });
		else await isGone;
		const survivors = await terminator.end(agent, { isGone: true, graceMs: isHurry ? 0 : GRACE_MS });
		return survivors.map(({ pid }) => pid);
	}
}
