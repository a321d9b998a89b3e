/**
 * The machine on which a run's processes live. Only it starts the root agent, ends processes of the run, and says which
 * agent a process belongs to; its callers need not know how it finds out.
 */

import type { CommandStart } from "../../core/bash-call.ts";
import type { AgentId, Ending } from "../../core/model/agent.ts";
import { GRACE_MS } from "../../processes/table/end-processes.ts";
import type { ProcessInfo, ProcessRef } from "../../processes/table/process-table.ts";
import type { Join } from "../../wire/agent-messages.ts";
import type { Hello } from "../../wire/from-client.ts";
import type { ResolvedParent } from "../decide/inputs-and-effects.ts";
import type { OutsideRunner, OutsideStart, RootAgent, RootSettings } from "./start-processes.ts";
import type { ClientOrigin } from "./whose-is.ts";

/** A stopped agent gives its commands the whole grace; after that it has this long to send its last words. */
export const LAST_WORDS_MS = 2_500;
/** From the request to stop until the agent is ended, if it is not over by itself. */
export const STOP_MS = GRACE_MS + LAST_WORDS_MS;

/** A process limit that is exceeded. */
export interface Breach {
	/** The agent whose limit it is. */
	readonly holder: AgentId;
	/** Of the holder and those below it, the agent with the most processes of its own: the one to end. */
	readonly agent: AgentId;
	readonly reason: string;
	/** Process groups of the agent's commands and all below, in which no other process is. */
	readonly groups: readonly number[];
}

export interface EndHow {
	/** Whether the agent's own process is ended, too. */
	readonly includesAgent: boolean;
	/** SIGKILL at once, without SIGTERM and grace. */
	readonly isHurry: boolean;
}

export interface Machine {
	/** Starts the root agent; all that it will start belongs to the run. Never throws: that it cannot be started is an ending. */
	startRoot(settings: RootSettings): RootAgent;
	/** Starts a process that runs a command for an agent outside of its sandbox, and belongs to it. Never throws. */
	startOutside(start: OutsideStart): OutsideRunner;
	/** Whether the agent's own process is in a pid namespace below that of the supervisor: in a sandbox. */
	isConfined(agent: ProcessRef | undefined): boolean;
	/** SIGKILL to the root agent's own process, while it has not exited. What it has started is not signaled. */
	killRoot(): void;
	/** What a client is by its process, as the process table shows it now. */
	originOf(hello: Hello): ClientOrigin;
	/** The parent of a process that asks to join. */
	parentOf(join: Join): ResolvedParent;
	/** Says that the agent has been admitted: it is in the run's state, and is told so next. */
	admitted(agent: AgentId): void;
	/**
	 * Says that an agent has started a command. The agent is believed only as far as the machine can see the process. Gives
	 * the pid that the shell has here, or the one that the agent tells where the shell is not seen.
	 */
	commandStarted(agent: AgentId, start: Omit<CommandStart, "log">): number;
	/** The living processes of the agent and all below it, its own included; none when the machine cannot look. */
	processesOf(agent: AgentId): ProcessInfo[];
	/** Ends the processes of the agent and all below it. Resolves to the survivors. */
	end(agent: AgentId, how: EndHow): Promise<ProcessRef[]>;
	/** Freezes the commands of these agents, not the agents. Resolves to how many processes are frozen. */
	freeze(agents: readonly AgentId[]): Promise<number>;
	/** Lets the commands of these agents go on, of which some may be frozen. An end lets them go on first. */
	thaw(agents: readonly AgentId[]): void;
	/** Ends processes that exceed a limit and may be forking: freezes whole groups, then kills them. Not the agent's own. */
	endBreach(breach: Breach): void;
	/** SIGKILL to what can be killed without a look: cgroups, groups of running commands. Not the agent's own process. */
	killNow(agent: AgentId): void;
	/** The ending of an agent whose connection closed without a `finish`. */
	endingOf(agent: ProcessRef): Promise<Ending>;
	/** Whether the agent's process is stopped by a signal. */
	isSuspended(agent: ProcessRef): boolean;
	/** Readers of how much disk and memory the machine has left, and how many processes. */
	resources(): MachineResources;
	/** Counts all processes of the run. Throws when it cannot look (`isFailedLook`). */
	checkProcessLimits(): LimitCheck;
	/** Remembers who owns each process now, so that it is known after its parents have ended. */
	rememberOwners(): void;
	/**
	 * Resolves when every `end` under way is done, and the sweep for what has left its cgroup. `isRunEnding`: without the sweep, since
	 * the end of the whole run comes next.
	 */
	idle(when?: { isRunEnding?: boolean }): Promise<void>;
	/** Removes what the machine keeps for the run: its cgroups. */
	close(): void;
}

export interface MachineResources {
	/** In the file system of that directory. Undefined: the system does not tell, which is no shortage. */
	freeDiskBytes(directory: string): number | undefined;
	/** 0 to 100, of the machine or of the container's bound, whichever is less. Undefined: the system does not tell. */
	freeMemoryPercent(): number | undefined;
	/** All processes of the machine, so no fewer than the run's. Throws when it cannot look. */
	processCount(): number;
}

export type LimitCheck =
	| { readonly is: "breached"; readonly breach: Breach }
	/** `room`: how many more processes may begin before a limit can be exceeded. */
	| { readonly is: "kept"; readonly room: number };
