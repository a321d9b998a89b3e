/** The state of a run as a watcher gets it, which is that of core/run-state.ts. */
import * as v from "valibot";
import type { Agent } from "../agent.ts";
import type { RunState } from "../run-state.ts";
import { SCARCE_RESOURCES } from "../shortage.ts";
import { CommandEndSchema, CommandStartSchema, LeftProcessSchema } from "./command.ts";
import { EndingSchema } from "./ending.ts";
import { LimitsSchema } from "./limits.ts";
import { CostSchema, UsageSchema } from "./usage.ts";
import { agentId, listOf, number, oneOf, optional, text, time } from "./values.ts";

const AgentStateSchema = oneOf("is", [
	v.object({ is: v.literal("queued"), since: time, reason: optional(text) }),
	v.object({
		is: v.literal("thinking"),
		since: time,
		turn: number,
		purpose: optional(v.literal("compaction")),
		retry: optional(v.object({ attempt: number, nextAt: time, reason: text })),
	}),
	v.object({ is: v.literal("running"), since: time }),
	v.object({ is: v.literal("waiting"), since: time }),
	v.object({ is: v.literal("ended"), at: time, ending: EndingSchema }),
]);

const RunningCommandSchema = v.object({
	...v.omit(CommandStartSchema, ["startTime"]).entries,
	since: time,
	children: number,
});

const AgentSchema = v.object({
	id: agentId,
	pid: number,
	startTime: text,
	task: text,
	taskKey: optional(text),
	model: text,
	limits: LimitsSchema,
	command: optional(number),
	joinedAt: time,
	state: AgentStateSchema,
	turns: number,
	commands: number,
	running: listOf(RunningCommandSchema),
	lastCommandEnd: optional(CommandEndSchema),
	repeats: optional(number),
	isUnanswered: optional(v.literal(true)),
	contextTokens: optional(number),
	windowTokens: optional(number),
	compactions: optional(number),
	usage: UsageSchema,
	costUsd: CostSchema,
}) satisfies v.GenericSchema<unknown, Agent>;

export const RunStateSchema = v.object({
	run: text,
	task: text,
	cwd: text,
	model: text,
	limits: LimitsSchema,
	pid: number,
	startTime: text,
	startedAt: time,
	agents: v.record(v.string(), AgentSchema),
	refused: number,
	stopping: optional(text),
	closed: listOf(agentId),
	shortages: listOf(v.object({ what: v.picklist(SCARCE_RESOURCES), reason: text })),
	slowed: optional(v.object({ reason: text, until: time, maxCalls: number })),
	resumes: optional(number),
	ended: optional(
		v.object({
			...{ at: time, ending: EndingSchema, exitCode: number, survivors: listOf(number) },
			leftRunning: optional(listOf(LeftProcessSchema)),
		}),
	),
}) satisfies v.GenericSchema<unknown, RunState>;
