/** One link of the chain of causes: a fact of the event log, with its time. */

import type { CommandEnd } from "../core/command.ts";
import type { AgentId, Ending } from "../core/model/agent.ts";
import type { CommandActivity } from "./command-activity.ts";

/** `isFromOutside`: the end came by a signal that nothing in the log explains, so nothing in agentree has sent it. */
export type Cause =
	| {
			readonly is: "ended";
			readonly at: number;
			readonly agent: AgentId;
			readonly pid: number;
			readonly ending: Ending;
			readonly isFromOutside?: true;
	  }
	/** The failed call that ended its agent. */
	| {
			readonly is: "turn_failed";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
			/** The model of the agent. */
			readonly model: string;
			readonly reason: string;
	  }
	/** `agent`: the highest ancestor with this value, from which the agents below have inherited it. */
	| {
			readonly is: "limit_set";
			readonly at: number;
			readonly agent: AgentId;
			readonly limit: string;
			readonly value: number;
	  }
	| { readonly is: "stop_asked"; readonly at: number; readonly agent: AgentId; readonly reason: string }
	/** A command of `agent` that did not end by itself. */
	| {
			readonly is: "command_ended";
			readonly at: number;
			readonly agent: AgentId;
			readonly command: number;
			readonly commandText: string;
			readonly end: CommandEnd;
			readonly isFromOutside?: true;
	  }
	/** The supervisor died without a word. `at`: the time of the last event. */
	| { readonly is: "supervisor_died"; readonly at: number; readonly pid: number }
	/** The supervisor lives, but was stopped by a signal, so nothing of the run goes on. `at`: when this was seen. */
	| { readonly is: "supervisor_suspended"; readonly at: number; readonly pid: number }
	/** A living agent was paused at `at`, with all below `by`. `from`: the agent that has done that, null for a person. */
	| {
			readonly is: "paused";
			readonly at: number;
			readonly agent: AgentId;
			readonly by: AgentId;
			readonly from: AgentId | null;
			readonly isHard?: true;
	  }
	/** A living agent waits since `at`: for a slot, or for what `reason` says. */
	| { readonly is: "queued"; readonly at: number; readonly agent: AgentId; readonly reason?: string }
	| {
			readonly is: "thinks";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
			/** Set when the agent's call failed and is retried. */
			readonly retry?: { readonly attempt: number; readonly nextAt: number; readonly reason: string };
			/** The newest time that the service asked for fewer calls; set when the call is not one that is made again. */
			readonly slowed?: { readonly reason: string; readonly until: number };
	  }
	| {
			readonly is: "runs";
			readonly at: number;
			readonly agent: AgentId;
			readonly command: number;
			readonly pid: number;
			readonly commandText: string;
			/** Whether it gets on, where that was looked at. */
			readonly activity?: CommandActivity;
	  }
	| { readonly is: "between_turns"; readonly at: number; readonly agent: AgentId }
	/** The root of a conversation waits for a message. `reason`: why it gave no answer, if it did not. */
	/** A living agent has waited since `at` for a person to answer these questions. */
	| { readonly is: "asks"; readonly at: number; readonly agent: AgentId; readonly questions: readonly number[] }
	| { readonly is: "listens"; readonly at: number; readonly agent: AgentId; readonly reason?: string }
	| { readonly is: "waits_for"; readonly at: number; readonly agent: AgentId; readonly child: AgentId };
