/** What can happen in a run; one line of events.jsonl each. `at`: ms since the epoch. */
import type { AgentId, Ending } from "./agent.ts";
import type { CommandEnd, CommandStart } from "./command.ts";
import type { Limits } from "./limits.ts";
import type { ScarceResource } from "./shortage.ts";
import type { Usage } from "./usage.ts";

export type RunEvent =
	| {
			readonly event: "run_started";
			readonly at: number;
			readonly run: string;
			readonly task: string;
			readonly cwd: string;
			readonly model: string;
			readonly limits: Limits;
			readonly pid: number;
			readonly startTime: string;
			readonly version: string;
	  }
	/** A run that was over goes on, with a new supervisor. */
	| {
			readonly event: "run_resumed";
			readonly at: number;
			/** Absent: as before. */
			readonly model?: string;
			readonly limits: Limits;
			readonly pid: number;
			readonly startTime: string;
			readonly version: string;
	  }
	/** An agent that was over goes on with its own history, in a new process. */
	| {
			readonly event: "agent_resumed";
			readonly at: number;
			readonly agent: AgentId;
			/** Absent: as before. */
			readonly model?: string;
			readonly pid: number;
			readonly startTime: string;
			readonly limits: Limits;
			/** As in Agent. */
			readonly windowTokens?: number;
			/** The parent's command that started it again. */
			readonly command?: number;
	  }
	| {
			readonly event: "agent_joined";
			readonly at: number;
			readonly agent: AgentId;
			readonly pid: number;
			readonly startTime: string;
			/** In one line, cut to 200 characters. */
			readonly task: string;
			/** A hash of the whole task, its white space collapsed, in lower case. */
			readonly taskKey?: string;
			readonly model: string;
			readonly limits: Limits;
			/** As in Agent. */
			readonly windowTokens?: number;
			/** The parent's command that started it. */
			readonly command?: number;
	  }
	| {
			readonly event: "child_refused";
			readonly at: number;
			readonly parent: AgentId | null;
			readonly code: string;
			readonly reason: string;
			readonly task: string;
	  }
	/** It asked for a turn and waits for a slot; with a `reason` for something else. */
	| { readonly event: "turn_queued"; readonly at: number; readonly agent: AgentId; readonly reason?: string }
	| {
			readonly event: "turn_started";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
			readonly isLast: boolean;
			/** Absent for a turn. */
			readonly purpose?: "compaction";
	  }
	/** A call broke and is made again after a while, for the `attempt`th time. What had streamed of it counts no more. */
	| {
			readonly event: "turn_retrying";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
			readonly attempt: number;
			readonly waitMs: number;
			readonly reason: string;
			readonly usage: Usage;
			readonly costUsd: number | null;
	  }
	/** A call under way was ended from our side; it may come after the agent's ending. */
	| {
			readonly event: "turn_cancelled";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
			readonly usage: Usage;
			readonly costUsd: number | null;
	  }
	/** The service asked for fewer calls: none is made for a while, then `maxCalls` at once. */
	| {
			readonly event: "calls_slowed";
			readonly at: number;
			readonly reason: string;
			readonly waitMs: number;
			readonly maxCalls: number;
	  }
	/** So much of a budget is spent that the agent was told. */
	| { readonly event: "budget_noticed"; readonly at: number; readonly agent: AgentId; readonly reason: string }
	/** Older rounds of its history were replaced. Tokens of the context before and after. */
	| {
			readonly event: "history_compacted";
			readonly at: number;
			readonly agent: AgentId;
			readonly how: "summary" | "dropped_results";
			readonly tokensBefore: number;
			readonly tokensAfter: number;
	  }
	| {
			readonly event: "turn_ended";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
			/** As in turn_started. */
			readonly purpose?: "compaction";
			readonly stopReason: string;
			readonly usage: Usage;
			readonly costUsd: number | null;
	  }
	| {
			readonly event: "turn_failed";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
			/** As in turn_started. */
			readonly purpose?: "compaction";
			readonly reason: string;
			readonly usage: Usage;
			readonly costUsd: number | null;
	  }
	| {
			readonly event: "turn_refused";
			readonly at: number;
			readonly agent: AgentId;
			readonly limit: string;
			readonly reason: string;
	  }
	/** Its text is in one line, cut to 500 characters. */
	| ({ readonly event: "command_started"; readonly at: number; readonly agent: AgentId } & CommandStart)
	| {
			readonly event: "command_ended";
			readonly at: number;
			readonly agent: AgentId;
			readonly command: number;
			readonly end: CommandEnd;
			readonly outputBytes: number;
			readonly leftRunning: readonly { pid: number; name: string }[];
	  }
	/** Its newest command and the result are the same as those before it, so many times in a row. */
	| {
			readonly event: "agent_repeats";
			readonly at: number;
			readonly agent: AgentId;
			readonly command: number;
			readonly times: number;
	  }
	/** The machine, or what the run may have of it, has run low; the run goes on with less. */
	| { readonly event: "shortage_began"; readonly at: number; readonly what: ScarceResource; readonly reason: string }
	| { readonly event: "shortage_ended"; readonly at: number; readonly what: ScarceResource }
	| { readonly event: "agent_stopping"; readonly at: number; readonly agent: AgentId; readonly reason: string }
	| { readonly event: "agent_ended"; readonly at: number; readonly agent: AgentId; readonly ending: Ending }
	| { readonly event: "run_stopping"; readonly at: number; readonly reason: string }
	| {
			readonly event: "run_ended";
			readonly at: number;
			readonly ending: Ending;
			readonly exitCode: number;
			readonly survivors: readonly number[];
			/** With --keep-background: what was left, not ended. */
			readonly leftRunning?: readonly { pid: number; name: string }[];
	  };
