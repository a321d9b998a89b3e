/** What can happen in a run; one line of events.jsonl each. `at`: ms since the epoch. */
import type { AgentId, Ending } from "./agent.ts";
import type { CommandEnd } from "./command.ts";
import type { Limits } from "./limits.ts";
import type { Usage } from "./model.ts";
import type { Scarce } from "./shortage.ts";

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
	/** It asked for a turn and waits for a slot. */
	| { readonly event: "turn_queued"; readonly at: number; readonly agent: AgentId }
	| {
			readonly event: "turn_started";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
			readonly isLast: boolean;
	  }
	| {
			readonly event: "turn_ended";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
			readonly stopReason: string;
			readonly usage: Usage;
			readonly costUsd: number | null;
	  }
	| {
			readonly event: "turn_failed";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
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
	| {
			readonly event: "command_started";
			readonly at: number;
			readonly agent: AgentId;
			readonly command: number;
			/** The id of the tool call. */
			readonly toolUseId?: string;
			/** In one line, cut to 500 characters. */
			readonly text: string;
			readonly pid: number;
			readonly startTime: string;
			readonly log: string;
	  }
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
	| { readonly event: "shortage_began"; readonly at: number; readonly what: Scarce; readonly reason: string }
	| { readonly event: "shortage_ended"; readonly at: number; readonly what: Scarce }
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
