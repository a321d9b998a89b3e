/** An agent is one process in a run: what is known of it while it lives, and after. */
import type { AgentId } from "./agent-id.ts";
import type { CommandEnd, CommandStart } from "./command.ts";
import type { Limits } from "./limits.ts";
import type { Ending } from "./schemas/ending.ts";
import type { Usage } from "./usage.ts";

export {
	type AgentId,
	compareAgentIds,
	depthOf,
	isAgentId,
	isWithin,
	parentOf,
	ROOT,
	withAncestors,
} from "./agent-id.ts";
export type { Ending } from "./schemas/ending.ts";

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

export function isOver(agent: Agent): agent is Agent & { state: { is: "ended" } } {
	return agent.state.is === "ended";
}
