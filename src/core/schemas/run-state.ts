/** The tree that everyone shows, as core/run/run-state.ts makes it from the events; a watcher is sent it. */
import * as v from "valibot";
import { SCARCE_RESOURCES } from "../limits/shortage.ts";
import { AgentSchema } from "./agent.ts";
import { LeftProcessSchema } from "./command.ts";
import { EndingSchema } from "./ending.ts";
import { LimitsSchema } from "./limits.ts";
import { KnownWorktreeSchema } from "./own-worktree.ts";
import { GrantSchema, QuestionSchema } from "./question.ts";
import { agentId, exitStatus, listOf, number, optional, readonly, text, time } from "./values.ts";

const ShortageSchema = readonly(v.object({ what: v.picklist(SCARCE_RESOURCES), reason: text }));

export const RunStateSchema = readonly(
	v.object({
		run: text,
		task: text,
		cwd: text,
		model: text,
		limits: LimitsSchema,
		pid: number,
		startTime: text,
		startedAt: time,
		/** What a person calls it; absent: nothing. */
		name: optional(text),
		/** Its root waits for a person between its answers. */
		isConversation: optional(v.literal(true)),
		/** No sandbox, and nobody is asked before a command. */
		skipsPermissions: optional(v.literal(true)),
		/** Why commands are in no sandbox, where nobody has turned it off. */
		noSandbox: optional(text),
		agents: readonly(v.record(agentId, AgentSchema)),
		refused: number,
		/** Those that wait for a person, the oldest first. */
		questions: optional(listOf(QuestionSchema)),
		/** The newest of those that nobody waits for any more, and nobody has answered. */
		lapsedQuestions: optional(listOf(QuestionSchema)),
		/** The highest number of a question so far. */
		questionsAsked: optional(number),
		grants: optional(listOf(GrantSchema)),
		/** How many commands have been started outside of a sandbox. */
		outsideRuns: optional(number),
		/** Why the run is being stopped. */
		stopping: optional(text),
		/** Agents at or below which nothing may start any more. */
		closed: listOf(agentId),
		/** What there is too little of now. */
		shortages: listOf(ShortageSchema),
		/** The newest time that the service asked for fewer calls: none until then, `maxCalls` after it. */
		slowed: optional(readonly(v.object({ reason: text, until: time, maxCalls: number }))),
		/** The git worktrees that were made for its agents; absent: none. */
		worktrees: optional(readonly(v.record(agentId, KnownWorktreeSchema))),
		/** How often it has been resumed. */
		resumes: optional(number),
		ended: optional(
			readonly(
				v.object({
					...{ at: time, ending: EndingSchema, exitCode: exitStatus, survivors: listOf(number) },
					leftRunning: optional(listOf(LeftProcessSchema)),
				}),
			),
		),
	}),
);
export type RunState = v.InferOutput<typeof RunStateSchema>;
