/**
 * Where a run's processes live. Nothing outside of a machine ends a process of the run, or says whose a process is; what
 * stands above asks, and need not know how the machine finds out.
 */
import type { AgentId, Ending } from "../../core/agent.ts";
import type { CommandStart } from "../../core/command.ts";
import { GRACE_MS } from "../../processes/end-processes.ts";
import type { ProcessInfo, ProcessRef } from "../../processes/process-table.ts";
import type { Join } from "../../protocol/agent-messages.ts";
import type { ResolvedParent } from "../decide/input.ts";
import type { Breach } from "./process-limit.ts";
import type { RootAgent, RootSettings } from "./root-agent.ts";

/** An agent gives its commands the whole grace; then it still has to say its last words. */
export const LAST_WORDS_MS = 2_500;
/** From the word that it is to stop until an agent is over by itself, or is ended. */
export const STOP_MS = GRACE_MS + LAST_WORDS_MS;

export interface EndHow {
	/** The agent's own process belongs to it, too; else it is spared. */
	readonly isGone: boolean;
	/** Kills at once, without SIGTERM and grace. */
	readonly isHurry: boolean;
}

export interface Machine {
	/** Starts the root agent; all that it will start belongs to the run. Never throws: that it cannot be started is an ending. */
	startRoot(settings: RootSettings): RootAgent;
	/** SIGKILL to the root agent's own process, while it has not exited. What it has started is not signalled. */
	killRoot(): void;
	/** Whose child a process is that asks to join. */
	parentOf(join: Join): ResolvedParent;
	/** The agent is in the run's state, and will be told so next. */
	admitted(agent: AgentId): void;
	/** What an agent says of its command is believed only as far as the machine sees it. */
	commandStarted(agent: AgentId, start: CommandStart): void;
	/** What lives of the agent and all below it, as far as one can look. */
	processesOf(agent: AgentId): ProcessInfo[];
	/** Ends what belongs to the agent and to all below it. Resolves with what could not be ended. */
	end(agent: AgentId, how: EndHow): Promise<ProcessRef[]>;
	/** Ends what exceeds a process limit, and may be forking: whole groups at once, frozen first. The agent itself is spared. */
	endBreach(breach: Breach): void;
	/** Kills at once what needs no look. The agent itself is spared. */
	killNow(agent: AgentId): void;
	/** Why an agent is over whose connection closed without a word. */
	endingOf(agent: ProcessRef): Promise<Ending>;
	isSuspended(agent: ProcessRef): boolean;
	/** How much is left of what all share. */
	resources(): MachineResources;
	/** Looks at all processes of the run. Throws when it cannot look (`isFailedLook`). */
	checkProcessLimits(): LimitCheck;
	/** While many processes begin: whose they are, before their parents have ended. */
	rememberOwners(): void;
	/** Resolves when all ends that are under way are done. */
	idle(): Promise<void>;
	/** The run is over. */
	close(): void;
}

export interface MachineResources {
	/** In the file system of that directory. Undefined: not told, which is no shortage. */
	freeDiskBytes(directory: string): number | undefined;
	freeMemoryPercent(): number | undefined;
	/** How many processes the machine has: no fewer than the run. Throws when it cannot look. */
	processCount(): number;
}

export type LimitCheck =
	| { readonly is: "breached"; readonly breach: Breach }
	/** So many more processes may begin before one can be. */
	| { readonly is: "kept"; readonly room: number };
