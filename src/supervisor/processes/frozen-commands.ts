/**
 * The processes of commands that a hard pause has frozen (SIGSTOP). Agents are never frozen: they must see it when their
 * supervisor dies. Only what was frozen here is let go on (SIGCONT): a process may have been stopped by somebody else.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentId } from "../../core/model/agent.ts";
import { type Owned, processKey } from "../../processes/table/belonging.ts";
import type { SendSignal } from "../../processes/table/end-processes.ts";
import {
	ifSeen,
	type Look,
	type ProcessInfo,
	type ProcessRef,
	type ProcessTable,
	readAlive,
} from "../../processes/table/process-table.ts";
import { trySignal } from "./process-limit.ts";

interface FrozenCommandsDeps {
	readonly table: Pick<ProcessTable, "freshLook" | "read">;
	/** The processes of commands, with the agents whose they are; without those that may not be signaled. */
	readonly commandsIn: (look: Look) => readonly Owned[];
	readonly kill?: SendSignal | undefined;
	readonly wait?: (ms: number) => Promise<unknown>;
}

const MAX_ROUNDS = 100;
const WAIT_MS = 5; // what runs on another processor is stopped, and may fork, a moment after the signal

export class FrozenCommands {
	private readonly deps: FrozenCommandsDeps;
	/** Agents whose commands are to be frozen. */
	private readonly agents = new Set<AgentId>();
	private readonly frozen = new Map<string, { readonly ref: ProcessRef; readonly owner: AgentId }>();

	constructor(deps: FrozenCommandsDeps) {
		this.deps = deps;
	}

	/** Resolves to the number of frozen processes of these agents, once a look finds no other that runs. */
	async freeze(agents: readonly AgentId[]): Promise<number> {
		for (const agent of agents) this.agents.add(agent);
		const { table, wait = sleep } = this.deps;
		for (let round = 0; round < MAX_ROUNDS; round++) {
			const look = await table.freshLook().catch(() => undefined);
			const found = look === undefined ? undefined : ifSeen(() => this.find(agents, look));
			if (found?.seen.every((info) => this.isFrozen(info)) === true) break;
			for (const { info, owner } of found?.seen ?? []) this.signal(info, owner);
			await wait(WAIT_MS);
		}
		return [...this.frozen.values()].filter(({ owner }) => agents.includes(owner)).length;
	}

	/** Lets the commands of those agents go on. */
	thaw(isMeant: (agent: AgentId) => boolean): void {
		for (const agent of this.agents) if (isMeant(agent)) this.agents.delete(agent);
		for (const [key, { ref, owner }] of this.frozen) {
			if (!isMeant(owner)) continue;
			this.frozen.delete(key);
			this.letGoOn(ref);
		}
	}

	/** Lets a process go on that has joined: it was frozen while it was a command of its parent. */
	release(pid: number | undefined): void {
		for (const [key, { ref }] of this.frozen) {
			if (ref.pid !== pid) continue;
			this.frozen.delete(key);
			this.letGoOn(ref);
		}
	}

	private letGoOn(ref: ProcessRef): void {
		if (ifSeen(() => readAlive(this.deps.table, ref))?.seen !== undefined)
			trySignal(ref.pid, "SIGCONT", this.deps.kill);
	}

	/** Those whose commands are to be frozen still: they may have been let go on during a look. */
	private find(agents: readonly AgentId[], look: Look): (Owned & { owner: AgentId })[] {
		return this.deps.commandsIn(look).flatMap(({ info, owner }) => {
			return owner !== undefined && agents.includes(owner) && this.agents.has(owner) ? [{ info, owner }] : [];
		});
	}

	/** In an uninterruptible wait (D) a signal is taken when that is over. */
	private isFrozen({ info }: Owned): boolean {
		return /^[Tt]/.test(info.state) || (info.state.startsWith("D") && this.frozen.has(processKey(info)));
	}

	private signal(info: ProcessInfo, owner: AgentId): void {
		if (/^[Tt]/.test(info.state) || ifSeen(() => readAlive(this.deps.table, info))?.seen === undefined) return;
		this.frozen.set(processKey(info), { ref: info, owner });
		trySignal(info.pid, "SIGSTOP", this.deps.kill);
	}
}
