/**
 * What is said where a command is to leave its agent's sandbox, or to know what that hides: between `agent ask --run` and the supervisor, on the run's socket, and
 * between the supervisor and the process that runs the command, on the channel that Node makes.
 */
import * as v from "valibot";
import type { CommandEnd } from "../core/bash-call.ts";
import type { Confinement, Network } from "../core/machine/sandbox.ts";
import type { CookieFields } from "../core/run/cookie.ts";
import { CommandEndSchema, LeftProcessSchema } from "../core/schemas/command.ts";
import { agentId, count, listOf, optional, text } from "../core/schemas/values.ts";
import { shortText } from "./bounded-text.ts";

const MAX_ASKED_CHARS = 100_000; // what is too long for a person to read is refused in words
const MAX_MORE = 16;

const reason = v.pipe(text, v.regex(/\S/), v.maxLength(MAX_ASKED_CHARS));
const more = v.pipe(listOf(shortText), v.minLength(1), v.maxLength(MAX_MORE));

/**
 * The agent in whose command the client is wants the command run outside of its sandbox, or in there with more directories and
 * hosts. It is ended with the connection. Answered by `asked` where a person is asked, then `outside_opened` and `outside_ended`, or
 * `answered` with a no, or `unanswered`.
 */
export const RunOutsideSchema = v.object({
	...{ say: v.literal("run_outside"), command: v.pipe(text, v.maxLength(MAX_ASKED_CHARS)), directory: shortText },
	...{ write: optional(more), hosts: optional(more), why: optional(reason) },
	/** AGENTREE_COMMAND: the command of the agent of which this is a part. */
	inCommand: optional(count),
});
/** The client reads the pipe: the command is started. */
export const OutsideReadySchema = v.object({ say: v.literal("outside_ready") });

/** The command wants to read what the record has of that agent, which is its own one or below that. Answered by `record_copied`. */
export const CopyRecordSchema = v.object({ say: v.literal("copy_record"), agent: agentId });

export const OUTSIDE_ANSWERS = [
	/** A directory as that of the run, which the command sees, with what the record has of the agent. */
	v.object({ say: v.literal("record_copied"), directory: text }),
	/** The command may run. What it prints comes through that pipe. */
	v.object({ say: v.literal("outside_opened"), pipe: text }),
	/** Behind all of its output. */
	v.object({ say: v.literal("outside_ended"), end: CommandEndSchema, leftRunning: listOf(LeftProcessSchema) }),
] as const;

/** How a command is run outside of an agent's sandbox. */
export interface OutsideOrder {
	readonly say: "order";
	readonly command: string;
	readonly cwd: string;
	/** The run's, without keys. */
	readonly env: Readonly<Record<string, string>>;
	readonly place: CookieFields & { readonly shimDirectory: string; readonly home: string };
	/** AGENTREE_COMMAND and AGENTREE_TRAIL, which mark the command's processes among all of the agent. */
	readonly cookie: Readonly<Record<string, string>>;
	readonly pipesDirectory: string;
	/** What it prints goes there, too. */
	readonly pipe: string;
	readonly agentDirectory: string;
	/** Below the agent's directory. */
	readonly log: string;
	readonly softFiles?: number;
	/** Absent: outside of any. */
	readonly sandbox?: OutsideSandbox;
}

export interface OutsideSandbox {
	/** As that of an agent that joins. */
	readonly program: string;
	readonly args: string[];
	readonly filter?: string;
	readonly confinement: Confinement;
	/** More directories that are writable. */
	readonly writes: readonly string[];
	readonly variables: Record<string, string>;
	readonly network?: Exclude<Network, "host">;
	readonly proxySocket: string;
	readonly proxyToken: string;
}

/** `run`: once the process that asked reads the pipe. */
export type ToOutsideRunner =
	| OutsideOrder
	| { readonly say: "run" }
	| { readonly say: "stop"; readonly reason: string };

export type FromOutsideRunner =
	/** The pipe is open. */
	| { readonly say: "prepared" }
	| { readonly say: "started"; readonly pid: number; readonly startTime: string }
	/** All that it printed has been passed on. */
	| {
			readonly say: "ended";
			readonly end: CommandEnd;
			readonly outputBytes: number;
			readonly leftRunning: readonly { readonly pid: number; readonly name: string }[];
	  };
