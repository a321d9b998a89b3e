/** A command (one bash tool call): how it starts and ends, in messages, in the event log and in transcripts. */
import * as v from "valibot";
import { exitStatus, logPath, number, oneOf, optional, pid, readonly, signal, text } from "./values.ts";

export const CommandStartSchema = v.object({
	/** The number of the command among those of its agent. */
	command: number,
	/** The id of the tool call. */
	toolUseId: optional(text),
	text,
	/** The shell's; it is the number of the command's session and process group, too. */
	pid,
	/** The shell's: together with the pid it names one process forever. */
	startTime: text,
	/** Path of the raw output file, below the agent's directory: `out/0003.log`. */
	log: logPath,
});
export type CommandStart = Readonly<v.InferOutput<typeof CommandStartSchema>>;

export const COMMAND_ENDS = [
	v.object({ by: v.literal("exit"), code: exitStatus }),
	/** A signal that we did not send, e.g. `SIGKILL`. */
	v.object({ by: v.literal("signal"), signal: text }),
	v.object({ by: v.literal("timeout"), afterMs: number }),
	v.object({ by: v.literal("stopped"), reason: text }),
	/** The shell could not be started, or the call could not be run; `reason` is told to the model. */
	v.object({ by: v.literal("not_started"), reason: text }),
] as const;

/** How one command ended. The first cause wins. */
export const CommandEndSchema = readonly(oneOf("by", COMMAND_ENDS));
export type CommandEnd = v.InferOutput<typeof CommandEndSchema>;

/** A process that a command, or a run, left behind. */
export const LeftProcessSchema = v.object({ pid: number, name: text });

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
