/**
 * The commands of a run by the pid of their shell, which is also the number of their session and process group. That an
 * agent has started a command is its word alone, and what is in the session is ended with the agent. So a command counts
 * once its shell has been seen and belongs to the agent. One whose shell was over by then is in doubt: it counts when
 * another process of its session belongs to the agent without it, since sessions are begun and never joined.
 */
import { type AgentId, isWithin } from "../../core/agent.ts";
import type { Claim, Owned } from "../../processes/belonging.ts";
import type { ProcessInfo, ProcessRef } from "../../processes/process-table.ts";
import { hasStartedBefore, isSameStart } from "../../processes/start-time.ts";

export interface CommandRef extends Claim {
	readonly command: number;
}

/** A command as its agent tells of it, with the pid that its shell has here. */
export type ToldCommand = ProcessRef & CommandRef;

export class KnownCommands {
	private readonly proven = new Map<number, CommandRef>();
	private readonly doubted = new Map<number, CommandRef>();

	/** The command whose shell has or had that pid. */
	at(pid: number): CommandRef | undefined {
		return this.proven.get(pid);
	}

	entries(): Iterable<[number, CommandRef]> {
		return this.proven;
	}

	/** Takes a command in by its shell, a process that is no agent and belongs to `owner`. */
	prove({ pid, ...told }: ToldCommand, shell: ProcessInfo, owner: AgentId | undefined): void {
		const isShell = shell.session === pid && isSameStart(shell.startTime, told.startTime) && owner === told.agent;
		const known = this.proven.get(pid);
		if (isShell && !(known !== undefined && isSameStart(known.startTime, told.startTime))) this.proven.set(pid, told);
	}

	/** Keeps a command in doubt whose shell has not been seen. */
	doubt({ pid, ...told }: ToldCommand): void {
		if (pid > 1 && !this.proven.has(pid)) this.doubted.set(pid, told);
	}

	/**
	 * Settles by a look what is in doubt, and forgets commands of which nothing lives any more: the number of their session
	 * may become another's. `owned` are the living ones of `all`. True when a command has been proven.
	 */
	settle(all: readonly ProcessInfo[], owned: readonly Owned[]): boolean {
		this.forgetOver(all);
		if (this.doubted.size === 0) return false;
		const before = this.proven.size;
		const living = new Set(owned.map(({ info }) => info.pid));
		for (const { info, owner } of owned) {
			const told = owner === undefined ? undefined : this.doubted.get(info.session);
			if (told === undefined || owner === undefined || !isWithin(owner, told.agent)) continue;
			if (info.pid === info.session) this.prove({ pid: info.pid, ...told }, info, owner);
			else if (!living.has(info.session)) this.proven.set(info.session, told);
		}
		for (const pid of this.proven.keys()) this.doubted.delete(pid);
		return this.proven.size > before;
	}

	private forgetOver(all: readonly ProcessInfo[]): void {
		const [first] = all;
		if (first === undefined || this.proven.size + this.doubted.size === 0) return;
		const numbers = new Set(all.flatMap(({ pid, session, group }) => [pid, session, group]));
		let newest = first.startTime;
		for (const { startTime } of all) if (hasStartedBefore(newest, startTime)) newest = startTime;
		for (const commands of [this.proven, this.doubted])
			for (const [pid, { startTime }] of commands)
				if (!numbers.has(pid) && hasStartedBefore(startTime, newest)) commands.delete(pid); // a look may be older than a command
	}
}
