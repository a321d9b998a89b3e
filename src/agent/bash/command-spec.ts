/** What a command is started with, and its result. */

import type { Timer } from "../../core/clock.ts";
import type { CommandEnd, CommandStart } from "../../core/command.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { ProcessTable } from "../../processes/table/process-table.ts";
import type { LogGate } from "../supervisor-client.ts";
import type { LeftRunning } from "./output.ts";
import type { Pipes } from "./pipe.ts";
import type { Sandbox } from "./sandbox.ts";

export interface CommandLimits {
	/** The bound on the result's text, in characters. */
	readonly maxChars: number;
	/** The cap of the log. */
	readonly maxLogBytes: number;
	/** Between SIGTERM and SIGKILL. */
	readonly graceMs: number;
}

export interface CommandSpec {
	readonly number: number;
	readonly command: string;
	readonly timeoutMs: number;
	readonly agentDirectory: string;
	readonly pipes: Pipes;
	readonly cwd: string;
	/** From `commandEnvironment`. Its cookie marks the processes of the command. */
	readonly env: Record<string, string>;
	readonly table: ProcessTable;
	readonly sandbox: Sandbox;
	/** The soft limit of open files; absent: that of the agent. */
	readonly softFiles?: number;
	readonly limits?: Partial<CommandLimits>;
	readonly clock?: Timer;
	readonly logGate?: LogGate;
	/** In place of that of the number. */
	readonly log?: string;
	/**
	 * Gets what is printed up to the command's end, in a buffer that is reused once the promise is resolved that it gives; until then
	 * nothing more is read.
	 */
	readonly onOutput?: (chunk: Uint8Array) => Promise<unknown> | undefined;
	/** Replaces wait-for-parent-kill.ts in tests. */
	readonly waitForParentKill?: (agent: AgentId) => Promise<boolean>;
	/** Called with an error that the model is told of, and that only a bug can bring about. */
	readonly onBug?: (error: unknown) => void;
	/** Called when the shell has started, and never before `startCommand` has returned. */
	readonly onStarted: (started: Pick<CommandStart, "pid" | "startTime">) => void;
}

export interface CommandResult {
	readonly end: CommandEnd;
	/** What the model gets. */
	readonly text: string;
	/** How much was printed, including what was not kept. */
	readonly outputBytes: number;
	readonly leftRunning: readonly LeftRunning[];
	/** Ends what it left running, with a grace; absent where that does not end with the agent's process. */
	readonly endLeft?: () => Promise<void>;
	/** The log's path below the agent's directory. Absent when nothing was run, or the file could not be written. */
	readonly log?: string;
}
