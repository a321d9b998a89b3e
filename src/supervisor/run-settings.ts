/** The settings of a run: its task, its limits and how its processes are started. */

import type { Effort } from "../core/effort.ts";
import type { Limits } from "../core/limits.ts";
import type { RetryPolicy } from "../core/retry-policy.ts";
import type { Bounds } from "../core/shortage.ts";
import type { PricedModel } from "../models/catalogue.ts";

export interface RunSettings {
	run: string;
	/** The state directory. */
	home: string;
	socket: string;
	task: string;
	cwd: string;
	model: string;
	effort?: Effort;
	/** The share of a model's window, 0 to 1, at which a history is compacted; absent: the default. */
	compactAt?: number;
	limits: Limits;
	bounds: Bounds;
	retryPolicy: RetryPolicy;
	/** The user's own prices, which go before the built-in ones. */
	prices: readonly PricedModel[];
	/** The system prompt of the root alone. */
	systemPrompt?: string;
	/** The addition to the system prompt of every agent. */
	appendSystemPrompt?: string;
	version: string;
	/** Where the root's answer and its last line on stderr go. */
	rootStdio: "inherit" | "ignore";
	nodeProgram: string;
	/** Processes in the background are left running when the root has answered, and named on stderr. */
	keepsBackground: boolean;
	/** The child's bundle, which `agent` in a command's PATH runs. */
	agentProgram: string;
	/** The soft limit of open files for commands; absent: inherited. */
	commandFiles?: number;
	/** The environment that agents start from, without any key. */
	env: Record<string, string>;
}
