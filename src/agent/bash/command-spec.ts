/** What a command is started with, and what becomes of it. */

import type { AgentId } from "../../core/agent.ts";
import type { Timer } from "../../core/clock.ts";
import type { CommandEnd, CommandStart } from "../../core/command.ts";
import type { ProcessTable } from "../../processes/process-table.ts";
import type { LogGate } from "../log-gate.ts";
import type { LeftRunning } from "./output.ts";
import type { Sandbox } from "./sandbox.ts";

export interface CommandLimits {
	/** Of the result's text. */
	readonly maxChars: number;
	readonly maxLogBytes: number;
	/** Between SIGTERM and SIGKILL. */
	readonly graceMs: number;
}

export interface CommandSpec {
	readonly number: number;
	readonly command: string;
	readonly timeoutMs: number;
	readonly agentDirectory: string;
	readonly cwd: string;
	/** As commandEnvironment makes it: its cookie tells which processes belong to the command. */
	readonly env: Record<string, string>;
	readonly table: ProcessTable;
	readonly sandbox: Sandbox;
	/** The soft limit of open files; absent: as ours. */
	readonly softFiles?: number;
	readonly limits?: Partial<CommandLimits>;
	readonly clock?: Timer;
	readonly logGate?: LogGate;
	readonly isEndedFromAbove?: (agent: AgentId) => Promise<boolean>;
	/** Never called before startCommand has returned. */
	readonly onStarted: (started: Pick<CommandStart, "pid" | "startTime" | "log">) => void;
}

export interface CommandResult {
	readonly end: CommandEnd;
	/** For the model. */
	readonly text: string;
	/** All that was printed, also what was not kept. */
	readonly outputBytes: number;
	readonly leftRunning: readonly LeftRunning[];
	/** Absent when nothing was run, or the file could not be written. */
	readonly log?: string;
}
