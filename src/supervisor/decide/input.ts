/** What can happen to a supervisor, and what it may have to do about it. */
import type { RefusalCode } from "../../core/admission.ts";
import type { AgentId, Ending } from "../../core/agent.ts";
import type { CommandEnd } from "../../core/command.ts";
import type { AskKind, ModelOutcome, ModelRequest, Usage } from "../../core/model.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { RunState } from "../../core/run-state.ts";
import type { Shortage } from "../../core/shortage.ts";
import type { FromAgent, Join, ToAgent } from "../../protocol/messages.ts";
import type { PlannedCall } from "./budget.ts";
import type { Ledger } from "./ledger.ts";
import type { Slots } from "./slots.ts";

/** Where a joining process belongs, as the process table and its token say. */
export type ResolvedParent =
	| { is: "root"; startTime: string }
	| { is: "child"; parent: AgentId; command?: number; startTime: string }
	| { is: "unknown"; reason: string };

export type Input =
	| { is: "joined"; connection: number; resolved: ResolvedParent; join: Join; taskKey?: string }
	| { is: "asked"; agent: AgentId; request: ModelRequest; kind: AskKind }
	| { is: "answered"; agent: AgentId; outcome: ModelOutcome; costUsd: number | null }
	/** Its call broke, and is made again for the `attempt`th time. */
	| {
			is: "retrying";
			agent: AgentId;
			turn: number;
			attempt: number;
			waitMs: number;
			reason: string;
			usage: Usage;
			costUsd: number | null;
	  }
	/** Its call was ended from our side, and has been charged; the agent may have ended before. */
	| { is: "cancelled"; agent: AgentId; turn: number; usage: Usage; costUsd: number | null }
	/** The service asked for fewer calls. */
	| { is: "slowed"; reason: string; waitMs: number; maxCalls: number }
	| {
			is: "command_started";
			agent: AgentId;
			command: number;
			toolUseId?: string;
			text: string;
			pid: number;
			startTime: string;
			log: string;
	  }
	| {
			is: "command_ended";
			agent: AgentId;
			command: number;
			end: CommandEnd;
			outputBytes: number;
			leftRunning: readonly { pid: number; name: string }[];
	  }
	| { is: "repeats"; agent: AgentId; command: number; times: number }
	/** A line of its transcript. */
	| { is: "recorded"; agent: AgentId; entry: Extract<FromAgent, { say: "record" }>["entry"] }
	| { is: "finished"; agent: AgentId; ending: Ending }
	/**
	 * Its connection closed; `ending` is what to believe when it had not finished. `cameFirst`: it had not been told to stop
	 * then, though it may be by the time that the cause is known.
	 */
	| { is: "gone"; agent: AgentId; ending: Ending; cameFirst?: boolean }
	| { is: "stop_asked"; agent: AgentId; ending: Ending }
	/** All that there is too little of now. */
	| { is: "shortages"; shortages: readonly Shortage[] };

/** What an agent says is what has happened to it. */
export function inputFrom(agent: AgentId, message: Exclude<FromAgent, { say: "join" }>): Input {
	switch (message.say) {
		case "record":
			return { is: "recorded", agent, entry: message.entry };
		case "ask":
			return { is: "asked", agent, request: message.request, kind: message.kind };
		case "command_started": {
			const { say: is, ...started } = message;
			return { is, agent, ...started };
		}
		case "command_ended": {
			const { say: is, ...ended } = message;
			return { is, agent, ...ended };
		}
		case "repeats":
			return { is: "repeats", agent, command: message.command, times: message.times };
		case "finish":
			return { is: "finished", agent, ending: message.ending };
	}
}

type WithoutPartial<M> = M extends { partial: string } ? Omit<M, "partial"> : M;
export type Told = WithoutPartial<ToAgent>;

export type Effect =
	/** `was`: how an agent that goes on had ended. */
	| { do: "admit"; connection: number; agent: AgentId; join: Join; was?: Ending }
	| { do: "refuse"; connection: number; code: RefusalCode | "unknown" | "usage"; reason: string }
	/** What a call had brought so far is added to a message that has a place for it. */
	| { do: "tell"; agent: AgentId; message: Told }
	| { do: "call"; agent: AgentId; request: ModelRequest; kind: AskKind; turn: number }
	| { do: "cancel_call"; agent: AgentId }
	/** End what is left below an agent that has ended, and itself when its connection is gone; else tell it when that is done. */
	| { do: "end"; agent: AgentId; isGone: boolean }
	/** It was told to stop: after the grace, end it and all below it. */
	| { do: "end_after_grace"; agent: AgentId };

/** An ask that waits for a slot, or whose call is under way. */
export interface Ask {
	readonly request: ModelRequest;
	readonly kind: AskKind;
	readonly isCalling: boolean;
	/** What budgets have set aside for the call under way. */
	readonly planned?: PlannedCall;
	/** It has a slot, and waits for what budgets have set aside for others. */
	readonly waitsBecause?: string;
	/** Of its request, at most. */
	readonly promptTokens?: number;
}

export interface SupervisorState {
	readonly run: RunState;
	readonly slots: Slots;
	readonly asks: Readonly<Record<AgentId, Ask>>;
	/** Agents that have made their last call. */
	readonly reported: readonly AgentId[];
	/** Agents that were told to stop, and the ending they were told: the first cause wins. */
	readonly stops: Readonly<Record<AgentId, Ending>>;
	readonly ledger: Ledger;
}

export interface Decision {
	state: SupervisorState;
	events: RunEvent[];
	effects: Effect[];
}
