/**
 * Looks, while a question waits, whether the agent that asks computes all the same: what its commands have in the background, beside the question
 * or from before. Its processes are looked at, since only they tell: a server that waits, and a shell that waits for the answer, do nothing.
 */
import { type AgentId, isOver } from "../../core/model/agent.ts";
import { processKey } from "../../processes/table/belonging.ts";
import type { Input } from "../decide/input.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import type { Machine } from "../processes/machine.ts";
import type { RunTimers } from "../run/run-core.ts";

const LOOK_MS = 2_000;
const MOST_IDLE_MS = 60; // of computing between two looks
const MOST_TO_ASK_MS = 1_000; // of processes that are new, where another question is

export interface AskerWatchDeps {
	readonly machine: Pick<Machine, "processesOf">;
	readonly timers: Pick<RunTimers, "after">;
	readonly dispatch: (input: Input) => void;
	readonly state: () => SupervisorState;
}

interface Seen {
	/** What was open at the look: who begins to ask computes for that, in a process that begins. */
	readonly questions: string;
	readonly cpuMs: ReadonlyMap<string, number>;
}

export class AskerWatch {
	private readonly deps: AskerWatchDeps;
	private seen = new Map<AgentId, Seen>();
	private isLooking = false;

	constructor(deps: AskerWatchDeps) {
		this.deps = deps;
	}

	/** A question waits. */
	begin(): void {
		if (this.isLooking) return;
		this.isLooking = true;
		this.later(1);
	}

	/** A look at many takes a while, so it comes the less often. */
	private later(asking: number): void {
		this.deps.timers.after(LOOK_MS * Math.ceil(asking / 8), () => this.look());
	}

	private look(): void {
		const { state, dispatch } = this.deps;
		const { run, working } = state();
		const asking = new Set((run.questions ?? []).map(({ agent }) => agent));
		for (const id of this.seen.keys()) {
			const agent = run.agents[id];
			if (agent === undefined || isOver(agent)) this.seen.delete(id); // one may ask on and on, with gaps
		}
		for (const agent of asking) {
			const works = this.computes(agent);
			if (works !== working.has(agent)) dispatch({ is: "asker_works", agent, works });
		}
		this.isLooking = asking.size > 0;
		if (this.isLooking) this.later(asking.size);
	}

	/** The agents' own processes and those of child agents are none of its commands. */
	private computes(agent: AgentId): boolean {
		const { agents } = this.deps.state().run;
		const own = new Set(Object.values(agents).map(({ pid }) => pid));
		const found = this.deps.machine.processesOf(agent).filter(({ pid }) => !own.has(pid));
		const cpuMs = new Map(found.map((info) => [processKey(info), info.cpuMs ?? 0]));
		const questions = `${agents[agent]?.asking?.questions}`;
		const before = this.seen.get(agent);
		this.seen.set(agent, { questions, cpuMs });
		if (before === undefined) return false;
		let [ofOld, ofNew] = [0, 0];
		for (const [key, ms] of cpuMs) {
			const earlier = before.cpuMs.get(key);
			if (earlier === undefined) ofNew += ms;
			else ofOld += Math.max(0, ms - earlier);
		}
		if (before.questions === questions) return ofOld + ofNew > MOST_IDLE_MS;
		return ofOld > MOST_IDLE_MS || ofNew > MOST_TO_ASK_MS;
	}
}
