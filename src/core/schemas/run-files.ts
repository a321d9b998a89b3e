/** The small files of a run, which are replaced whole: run.json, one agent.json an agent, and the run's lock. */
import * as v from "valibot";
import { EndingSchema } from "./ending.ts";
import { LimitsSchema } from "./limits.ts";
import { EffortSchema } from "./message.ts";
import { CostSchema, UsageSchema } from "./usage.ts";
import { agentId, number, optional, pid, text, time } from "./values.ts";

/** run.json. */
export const RunFileSchema = v.object({
	run: text,
	task: text,
	cwd: text,
	model: text,
	limits: LimitsSchema,
	supervisor: v.object({ pid, start_time: text }),
	socket: text,
	/** Of agentree. */
	version: v.optional(text, ""),
	started_at: time,
	ended_at: optional(time),
	ending: optional(EndingSchema),
	exit_code: optional(number),
	/** Of all agents together. */
	agents: optional(number),
	turns: optional(number),
	usage: optional(UsageSchema),
	cost_usd: optional(CostSchema),
});
export type RunFile = v.InferOutput<typeof RunFileSchema>;

/** agent.json: rewritten when the agent joins and when it ends. */
export const AgentFileSchema = v.object({
	agent: agentId,
	run: text,
	parent: optional(agentId),
	task: text,
	cwd: text,
	model: text,
	effort: optional(EffortSchema),
	limits: LimitsSchema,
	/** The system prompt as every request of this agent carries it. */
	system: v.optional(text, ""),
	/** What it was given in place of the built-in prompt, and behind it. */
	system_prompt: optional(text),
	append_system_prompt: optional(text),
	/** As in Joined; absent: the usual share. */
	compact_at: optional(number),
	/** The model's context window, where it is known. */
	window_tokens: optional(number),
	joined_at: time,
	ended_at: optional(time),
	ending: optional(EndingSchema),
	turns: optional(number),
	commands: optional(number),
	usage: optional(UsageSchema),
	cost_usd: optional(CostSchema),
});
export type AgentFile = v.InferOutput<typeof AgentFileSchema>;

/** .lock.N: the supervisor that holds the run. */
export const LockOwnerSchema = v.object({
	pid,
	start_time: text,
	/** In which the pid counts: `pid:[4026531836]`; null where there are none. */
	pid_namespace: v.nullable(text),
});
export type LockOwner = Readonly<v.InferOutput<typeof LockOwnerSchema>>;
