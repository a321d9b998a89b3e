/** What a run was asked for: the task, the limits and how its processes are started. */
import type { Limits } from "../core/limits.ts";
import type { Effort } from "../core/model.ts";
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
	/** As in Joined; absent: the usual share. */
	compactAt?: number;
	limits: Limits;
	bounds: Bounds;
	retryPolicy: RetryPolicy;
	/** The user's own, which go before the built-in ones. */
	prices: readonly PricedModel[];
	/** For the root only. */
	systemPrompt?: string;
	/** For every agent. */
	appendSystemPrompt?: string;
	version: string;
	/** Where the root's answer and its last line on stderr go. */
	rootStdio: "inherit" | "ignore";
	nodeProgram: string;
	/** What runs in the background when the root has answered stays, and is named. */
	keepsBackground: boolean;
	/** The child's bundle, also what `agent` is for the agents' bash. */
	agentProgram: string;
	/** The soft limit of open files for commands, when it is not the one that they would inherit. */
	commandFiles?: number;
	/** The environment that agents start from, without any key. */
	env: Record<string, string>;
}
