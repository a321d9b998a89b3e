/** What is known of an agent, as its events tell it: in the state of a run, which watchers are sent. */
import * as v from "valibot";
import { CommandEndSchema, CommandStartSchema } from "./command.ts";
import { EndingSchema } from "./ending.ts";
import { LimitsSchema } from "./limits.ts";
import { CostSchema, UsageSchema } from "./usage.ts";
import { agentId, listOf, number, oneOf, optional, readonly, text, time } from "./values.ts";

const AgentStateSchema = readonly(
	oneOf("is", [
		/** For a slot; with a `reason` for something else. */
		v.object({ is: v.literal("queued"), since: time, reason: optional(text) }),
		v.object({
			is: v.literal("thinking"),
			since: time,
			turn: number,
			purpose: optional(v.literal("compaction")),
			/** The call broke: it is made again, for the `attempt`th time, at `nextAt`. */
			retry: optional(readonly(v.object({ attempt: number, nextAt: time, reason: text }))),
		}),
		v.object({ is: v.literal("running"), since: time }),
		v.object({ is: v.literal("waiting"), since: time }),
		v.object({ is: v.literal("ended"), at: time, ending: EndingSchema }),
	]),
);
export type AgentState = v.InferOutput<typeof AgentStateSchema>;

const RunningCommandSchema = readonly(
	v.object({
		...v.omit(CommandStartSchema, ["startTime"]).entries,
		since: time,
		/** Living child agents that it has started. */
		children: number,
	}),
);
export type RunningCommand = v.InferOutput<typeof RunningCommandSchema>;

export const AgentSchema = readonly(
	v.object({
		id: agentId,
		pid: number,
		/** Start time as the process table gives it: with the pid it names a process for ever. */
		startTime: text,
		/** The task in one line, cut to 200 characters; the whole is in agent.json. */
		task: text,
		/** Equal for tasks that differ in white space and case alone; the whole task counts, not its preview. */
		taskKey: optional(text),
		model: text,
		limits: LimitsSchema,
		/** The parent's command that started it; absent for the root. */
		command: optional(number),
		joinedAt: time,
		state: AgentStateSchema,
		/** Model calls started; the last call at a limit is not counted. */
		turns: number,
		commands: number,
		running: listOf(RunningCommandSchema),
		lastCommandEnd: optional(CommandEndSchema),
		/** So many times in a row, 5 or more, the same command gave the same result; until another command ends. */
		repeats: optional(number),
		/** It ended in a turn that brought no answer: when it is resumed it makes that turn again, under the same number. */
		isUnanswered: optional(v.literal(true)),
		/** Tokens of its context after the newest answer, as the service counted them. */
		contextTokens: optional(number),
		/** The model's context window, where it is known. */
		windowTokens: optional(number),
		/** How often older rounds of its history were replaced. */
		compactions: optional(number),
		usage: UsageSchema,
		costUsd: CostSchema,
	}),
);
export type Agent = v.InferOutput<typeof AgentSchema>;
