/**
 * An agent is one process in a run. Its id is its path: the root is `1`, its second child `1.2`.
 * The path alone tells parent, depth and subtree, so none of them is stored or passed.
 */
import type { CommandEnd, CommandStart } from "./command.ts";
import type { Limits } from "./limits.ts";
import type { Usage } from "./usage.ts";

export type AgentId = string;

export const ROOT: AgentId = "1";

/** Why an agent is over. The first cause wins. */
export type Ending =
	| { by: "answer" }
	/** `exitCode` as in the table of exit codes: 1 model error, 70 our bug, 75 out of reach, 77 key. */
	| { by: "failure"; reason: string; exitCode: 1 | 70 | 75 | 77 }
	| { by: "limit"; limit: string; reason: string }
	/** A person, a signal to the supervisor, or the end of an agent above it. `signal` e.g. 2 for Ctrl-C. */
	| { by: "stopped"; reason: string; signal: number }
	/** By a signal that it could not catch. `isInferred`: it was gone before the system could be asked which. */
	| { by: "killed"; signal: string; isInferred?: true }
	| { by: "crashed"; reason: string };

export interface RunningCommand extends Omit<CommandStart, "startTime"> {
	readonly since: number;
	/** Living child agents that it has started. */
	readonly children: number;
}

/** Times are milliseconds since the epoch. */
export type AgentState =
	/** For a slot; with a `reason` for something else. */
	| { readonly is: "queued"; readonly since: number; readonly reason?: string }
	| {
			readonly is: "thinking";
			readonly since: number;
			readonly turn: number;
			readonly purpose?: "compaction";
			/** The call broke: it is made again, for the `attempt`th time, at `nextAt`. */
			readonly retry?: { readonly attempt: number; readonly nextAt: number; readonly reason: string };
	  }
	| { readonly is: "running"; readonly since: number }
	| { readonly is: "waiting"; readonly since: number }
	| { readonly is: "ended"; readonly at: number; readonly ending: Ending };

export interface Agent {
	readonly id: AgentId;
	readonly pid: number;
	/** Start time as the process table gives it: with the pid it names a process for ever. */
	readonly startTime: string;
	/** The task in one line, cut to 200 characters; the whole is in agent.json. */
	readonly task: string;
	/** Equal for tasks that differ in white space and case alone; the whole task counts, not its preview. */
	readonly taskKey?: string;
	readonly model: string;
	readonly limits: Limits;
	/** The parent's command that started it; undefined for the root. */
	readonly command?: number;
	readonly joinedAt: number;
	readonly state: AgentState;
	/** Model calls started; the last call at a limit is not counted. */
	readonly turns: number;
	readonly commands: number;
	readonly running: readonly RunningCommand[];
	readonly lastCommandEnd?: CommandEnd;
	/** So many times in a row, 5 or more, the same command gave the same result; until another command ends. */
	readonly repeats?: number;
	/** It ended in a turn that brought no answer: when it is resumed it makes that turn again, under the same number. */
	readonly isUnanswered?: true;
	/** Tokens of its context after the newest answer, as the service counted them. */
	readonly contextTokens?: number;
	/** The model's context window, where it is known. */
	readonly windowTokens?: number;
	/** How often older rounds of its history were replaced. */
	readonly compactions?: number;
	readonly usage: Usage;
	/** Dollars; null when the price of a model that it used is not known. */
	readonly costUsd: number | null;
}

/** `1.2.3` → `1.2`; the root has none. */
export function parentOf(id: AgentId): AgentId | undefined {
	const dot = id.lastIndexOf(".");
	return dot < 0 ? undefined : id.slice(0, dot);
}

/** Levels below the root: `1` → 0, `1.2` → 1. */
export function depthOf(id: AgentId): number {
	return id.split(".").length - 1;
}

/** True for `root` itself and all below it. */
export function isWithin(id: AgentId, root: AgentId): boolean {
	return id === root || id.startsWith(`${root}.`);
}

/** `1.2.3` → [`1.2.3`, `1.2`, `1`]. */
export function withAncestors(id: AgentId): AgentId[] {
	const parent = parentOf(id);
	return parent === undefined ? [id] : [id, ...withAncestors(parent)];
}

/** Tree order: parents before children, siblings by number (`1.2` before `1.10`). */
export function compareAgentIds(a: AgentId, b: AgentId): number {
	const left = a.split(".");
	const right = b.split(".");
	for (let i = 0; i < Math.min(left.length, right.length); i++) {
		const difference = Number(left[i]) - Number(right[i]);
		if (difference !== 0) return difference;
	}
	return left.length - right.length;
}

/** `1`, `1.2`, `1.2.30`; not `0`, `1.`, `01`. */
export function isAgentId(text: string): boolean {
	return /^[1-9]\d*(\.[1-9]\d*)*$/.test(text);
}

export function isOver(agent: Agent): agent is Agent & { state: { is: "ended" } } {
	return agent.state.is === "ended";
}
