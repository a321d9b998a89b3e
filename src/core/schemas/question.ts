/** Questions of agents to a person, and what a person says to them. */
import * as v from "valibot";
import { agentId, count, listOf, logPath, number, oneOf, optional, readonly, text, time } from "./values.ts";

/** What is asked. */
export const AskedSchema = readonly(
	oneOf("is", [
		/** Something in words, with `agent ask`. `choices`: the answers that fit; absent: any. */
		v.object({ is: v.literal("words"), text, choices: optional(listOf(text)) }),
		/**
		 * Whether the command may run. `because`: the rule that asks, in words. `rule`: what "always" would allow, and "project" in all
		 * runs in the directory `project`, where that can be.
		 */
		v.object({
			...{ is: v.literal("command"), command: text, directory: text, because: text },
			...{ rule: optional(text), project: optional(text) },
		}),
		/**
		 * Whether the command may run once outside of the sandbox; with `write` or `hosts`: inside of it, with these directories writable
		 * and these hosts reachable besides. `rule`: what "always" would allow, in that directory.
		 */
		v.object({
			...{ is: v.literal("outside"), command: text, directory: text, rule: optional(text) },
			...{ write: optional(listOf(text)), hosts: optional(listOf(text)) },
		}),
	]),
);
export type Asked = v.InferOutput<typeof AskedSchema>;

/** What a person says. */
export const AnswerSchema = readonly(
	oneOf("is", [
		v.object({ is: v.literal("allow") }),
		/** This, and from now on all that `rule` names, of the agent that asks and all below it. */
		v.object({ is: v.literal("always"), rule: text }),
		/** As `always`, and in all later runs in the project, too. */
		v.object({ is: v.literal("project"), rule: text, project: text }),
		v.object({ is: v.literal("no"), words: optional(text) }),
		/** No, and the agent is stopped. */
		v.object({ is: v.literal("stop"), words: optional(text) }),
		v.object({ is: v.literal("words"), text }),
	]),
);
export type Answer = v.InferOutput<typeof AnswerSchema>;

/** A question that nobody has answered. */
export const QuestionSchema = readonly(
	v.object({
		/** 1, 2, … of the run. */
		number: count,
		agent: agentId,
		at: time,
		what: AskedSchema,
		/** The reason that the agent gives. */
		why: optional(text),
	}),
);
export type Question = v.InferOutput<typeof QuestionSchema>;

/**
 * A lasting yes: it binds the agent and all below it. `outsideIn`: it lets what the rule names run outside of the sandbox, in that
 * directory, and nothing run inside.
 */
export const GrantSchema = readonly(v.object({ agent: agentId, rule: text, at: time, outsideIn: optional(text) }));

/** A command that runs outside of its agent's sandbox, or in there with more than the agent has. `outside`: 1, 2, … of the run. */
export const RunningOutsideSchema = readonly(
	v.object({ outside: count, since: time, text, directory: text, pid: number, log: logPath }),
);

/** In the state of an agent that waits for a person. */
export const AskingSchema = readonly(v.object({ since: time, questions: listOf(count) }));
