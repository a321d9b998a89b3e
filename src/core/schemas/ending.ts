import * as v from "valibot";
import { oneOf, optional, signal, text } from "./values.ts";

export const ENDINGS = [
	v.object({ by: v.literal("answer") }),
	/** `exitCode` as in the table of exit codes: 1 model error, 70 our bug, 75 out of reach, 77 key. */
	v.object({ by: v.literal("failure"), reason: text, exitCode: v.picklist([1, 70, 75, 77]) }),
	v.object({ by: v.literal("limit"), limit: text, reason: text }),
	/** A person, a signal to the supervisor, or the end of an agent above it. `signal` e.g. 2 for Ctrl-C. */
	v.object({ by: v.literal("stopped"), reason: text, signal }),
	/** A signal that the agent could not catch. `isInferred`: the agent was gone before the system could be asked which. */
	v.object({ by: v.literal("killed"), signal: text, isInferred: optional(v.literal(true)) }),
	v.object({ by: v.literal("crashed"), reason: text }),
] as const;

/** Why an agent, or a run, is over. The first cause wins. */
export const EndingSchema = oneOf("by", ENDINGS);
export type Ending = v.InferOutput<typeof EndingSchema>;
