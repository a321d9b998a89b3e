/**
 * Watches the machine while a run is alive: how much the commands have printed, how much disk and memory is left, how many
 * processes there are, and whether the root agent hangs after it has finished. A check reads one directory and a few small
 * files; the whole process table is read only when the machine has more processes than a limit allows. In a fork bomb the
 * supervisor gets little time on the processors: so a breach of a limit is looked for first, and frozen at once. A fork bomb
 * may also leave no process for a look: then the agent that began a command last is ended without one.
 */
import { lstatSync } from "node:fs";
import { commandLog } from "../../core/bash-call.ts";
import { type Shortage, shortagesIn } from "../../core/limits/shortage.ts";
import { type Agent, type AgentId, isOver, ROOT } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { ifSeen, isFailedLook } from "../../processes/table/process-table.ts";
import { outputPath } from "../../record/run-directory.ts";
import type { Breach } from "../processes/machine.ts";
import type { RunCore } from "../run/run-core.ts";

const CHECK_MS = 250; // a fork bomb starts some thousand processes in a second
const SUDDEN_CHECK_MS = 20;
const SUDDEN = 20; // so many more processes than at the last check
const MAX_UNCHECKED_LOOKS = 8; // processes of others that end hide how many of the run begin
const MAX_BLIND_LOOKS = 3; // in a row, CHECK_MS apart
const LOOKS_PER_RESOURCES = 4;
const MAX_HUNG_LOOKS = 20; // counted, not timed: while the supervisor itself is suspended no time may pass

export class ResourceMonitor {
	private readonly core: RunCore;
	/** The size of each log that may grow, as it was seen last. */
	private readonly logs = new Map<string, number>();
	/** Of all others together. */
	private wholeBytes = 0;
	private looks = 0;
	private lastCount = 0;
	private hungLooks = 0;
	private blindLooks = 0;
	/** Agents that were ended without a look. */
	private readonly endedUnseen = new Set<AgentId>();
	/** The last look at the table: with `enough` processes on the machine or fewer, no limit can be exceeded. */
	private checked = { enough: 0, at: 0 };

	constructor(core: RunCore) {
		this.core = core;
	}

	start(): void {
		this.lookAtResources();
		this.checkAfter(CHECK_MS);
	}

	/** Learns the paths of logs. The log of an ended command still grows if processes were left running. */
	event(event: RunEvent): void {
		if (event.event === "command_started") this.logs.set(this.pathOf(event.agent, event.log), 0);
		if (event.event !== "command_ended" || event.leftRunning.length > 0) return;
		const path = this.pathOf(event.agent, commandLog(event.command));
		if (this.logs.delete(path)) this.wholeBytes += sizeOf(path);
	}

	private checkAfter(ms: number): void {
		this.core.timers.after(ms, () => {
			this.looks += 1;
			const isSudden = this.checkProcessCount();
			if (this.looks % LOOKS_PER_RESOURCES === 0) this.lookAtResources();
			ifSeen(() => this.lookAtRoot());
			this.checkAfter(isSudden ? SUDDEN_CHECK_MS : CHECK_MS);
		});
	}

	private lookAtResources(): void {
		const { machine, directory, run } = this.core;
		const resources = machine.resources();
		for (const path of this.logs.keys()) this.logs.set(path, sizeOf(path));
		const outputBytes = [...this.logs.values()].reduce((sum, bytes) => sum + bytes, this.wholeBytes);
		const freeDiskBytes = resources.freeDiskBytes(directory);
		const freeMemoryPercent = resources.freeMemoryPercent();
		const before = run.shortages;
		const shortages = shortagesIn({ outputBytes, freeDiskBytes, freeMemoryPercent }, this.core.settings.bounds, before);
		const kinds = (list: readonly Shortage[]) =>
			list
				.map(({ what }) => what)
				.sort()
				.join();
		if (kinds(shortages) !== kinds(before)) this.core.dispatch({ is: "shortages", shortages });
	}

	private checkProcessCount(): boolean {
		try {
			const isSudden = this.lookForBreach();
			this.blindLooks = 0;
			return isSudden;
		} catch (error) {
			if (!isFailedLook(error)) throw error;
			if (!isForWantOfFiles(error)) this.endNewestUnseen(error.message); // without open files, too many processes are not the cause
			return false;
		}
	}

	/** True while the number of processes grows fast, or a limit is exceeded: then the next check comes soon. */
	private lookForBreach(): boolean {
		const { machine, run } = this.core;
		const count = machine.resources().processCount();
		const isSudden = count > this.lastCount + SUDDEN;
		this.lastCount = count;
		const limit = narrowestLimit(run);
		if (count <= limit) {
			if (!isSudden || count < limit / 2) return isSudden;
			machine.rememberOwners();
			return true;
		}
		const isChecked = !isSudden && count <= this.checked.enough && this.looks < this.checked.at + MAX_UNCHECKED_LOOKS;
		return isChecked ? false : this.checkLimits(count) || isSudden;
	}

	/** Ends what exceeds a limit. True when one is exceeded. */
	private checkLimits(count: number): boolean {
		const check = this.core.machine.checkProcessLimits();
		switch (check.is) {
			case "breached":
				this.end(check.breach);
				return true;
			case "kept":
				this.checked = { enough: count + check.room, at: this.looks };
				return false;
		}
	}

	/** The agent is told first, so that it knows why its commands die. It lives on to send its last words. */
	private end(breach: Breach): void {
		const { agent, reason } = breach;
		this.core.dispatch({ is: "stop_asked", agent, ending: { by: "limit", limit: "max-processes", reason } });
		this.core.machine.endBreach(breach);
	}

	/** After several failed looks in a row: ends the agent that has begun a command last, one agent after the other. */
	private endNewestUnseen(why: string): void {
		const { core } = this;
		this.blindLooks += 1;
		if (this.blindLooks < MAX_BLIND_LOOKS) return;
		this.blindLooks = 0;
		const agent = newestWithCommand(core.run, this.endedUnseen);
		if (agent === undefined) return this.endedUnseen.clear(); // all have been ended once: next time from the newest again
		this.endedUnseen.add(agent);
		const reason = `process limit reached: ${why}; agent ${agent} started the most recent command`;
		core.dispatch({ is: "stop_asked", agent, ending: { by: "limit", limit: "max-processes", reason } });
		core.machine.killNow(agent);
		void core.machine.end(agent, { includesAgent: false, isHurry: true });
	}

	/** Kills a finished root that is suspended (state T). One that waits for a slow reader of its answer may take its time. */
	private lookAtRoot(): void {
		const { run, machine } = this.core;
		const root = run.agents[ROOT];
		const hangs = root !== undefined && isOver(root) && machine.isSuspended(root);
		this.hungLooks = hangs ? this.hungLooks + 1 : 0;
		if (this.hungLooks === MAX_HUNG_LOOKS) machine.killRoot();
	}

	private pathOf(agent: AgentId, log: string): string {
		return outputPath(this.core.directory, agent, log);
	}
}

/** 0 when there is nothing, or commands have put something else in place of a directory above. */
function sizeOf(path: string): number {
	try {
		return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
	} catch {
		return 0;
	}
}

function narrowestLimit(run: RunState): number {
	let narrowest = Number.POSITIVE_INFINITY;
	for (const agent of Object.values(run.agents))
		if (!isOver(agent)) narrowest = Math.min(narrowest, agent.limits.maxProcesses);
	return narrowest;
}

function newestWithCommand(run: RunState, except: ReadonlySet<AgentId>): AgentId | undefined {
	const sinceOf = (agent: Agent) => Math.max(...agent.running.map(({ since }) => since));
	const isAtWork = (agent: Agent) => !isOver(agent) && agent.running.length > 0 && !except.has(agent.id);
	const atWork = Object.values(run.agents).filter(isAtWork);
	return atWork.reverse().sort((a, b) => sinceOf(b) - sinceOf(a))[0]?.id; // of equals, the one that joined last
}

function isForWantOfFiles(error: Error): boolean {
	return "code" in error && (error.code === "EMFILE" || error.code === "ENFILE");
}
