/** A command (one bash tool call): how it starts and ends, in messages, in the event log and in transcripts. */
import * as v from "valibot";
import { exitStatus, logPath, number, oneOf, optional, pid, readonly, text } from "./values.ts";

export const CommandStartSchema = v.object({
	/** The number of the command among those of its agent. */
	command: number,
	/** The id of the tool call. */
	toolUseId: optional(text),
	text,
	/** The shell's; it is the number of the command's session and process group, too. */
	pid,
	/** The shell's: together with the pid it names one process for ever. */
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
