/** What the supervisor has to do as the result of a decision. */

import type { AgentId, Ending } from "../../core/model/agent.ts";
import type { AssistantBlock } from "../../core/model/message.ts";
import type { AskKind, ContextFull, ModelRequest } from "../../core/model/model.ts";
import type { Usage } from "../../core/model/usage.ts";
import type { RefusalCode } from "../../core/run/admission.ts";
import type { WaitingMessage } from "../../core/schemas/run-state.ts";
import type { Join, ToAgent } from "../../wire/agent-messages.ts";
import type { Reservation } from "./money/budget.ts";

/** How an agent's call ended. `conversations/replies.ts` makes of it what the agent is told to do next. */
export type CallEnd =
	| {
			say: "answer";
			content: AssistantBlock[];
			stopReason: string;
			stopWords?: string;
			usage: Usage;
			/** Notes for the model, beside the results of its calls. */
			notes?: string[];
			/** A file whose bytes are the answer. */
			output?: string;
			/** The last call asked for a tool in place of a report: it may be made once more. */
			reportsAgain?: true;
			/** A message waits for the agent: an answer without a call is no end. */
			isHeldBack?: true;
	  }
	| {
			say: "ask_failed";
			reason: string;
			exitCode: 1 | 75 | 77;
			/** A file whose bytes are the text so far. */
			output?: string;
			/** The prompt is longer than the model's context. */
			contextFull?: ContextFull;
			/** The service refuses the thinking blocks of the request: without them the same request may be answered. */
			refusesThinking?: true;
	  }
	/** No more turns: one last call may be made. */
	| { say: "ask_refused"; limit: string; reason: string };

/** What the agent, which waits for a person, does now. */
export type LetGo = { say: "go_on" | "compact" | "close" };

/** What an agent is told; of the text of a call under way the outbox adds what there is. */
export type DraftMessage =
	| CallEnd
	| LetGo
	| { say: "stop"; ending: Ending }
	| Exclude<ToAgent, { say: "reply" | "over" | "summary" | "stop" }>;

/** How an agent that is resumed had ended. */
export interface Was {
	readonly was: Ending;
	/** It had answered, or listened: its end has interrupted nothing. */
	readonly isAtRest?: true;
}

export type Effect =
	/** `before`: of an agent that is resumed. */
	| { do: "admit"; connection: number; agent: AgentId; join: Join; before?: Was }
	/** `which`: the start that is refused. */
	| { do: "refuse"; connection: number; code: RefusalCode | "unknown" | "usage"; reason: string; which?: string }
	/** Send the message; the text so far of a call under way is added where the message has a place for it. */
	| { do: "tell"; agent: AgentId; message: DraftMessage }
	/** `said`: as in ModelCall. */
	| { do: "call"; agent: AgentId; request: ModelRequest; kind: AskKind; turn: number; said?: readonly string[] }
	/** Record the messages that the agent's next call carries, and give them to the agent. */
	| { do: "deliver"; agent: AgentId; messages: readonly WaitingMessage[] }
	/** The time of the agent's own limit stands still, or goes on. */
	| { do: "hold_time"; agent: AgentId; isHeld: boolean }
	/** Freeze the commands of these agents, or let them go on. */
	| { do: "freeze" | "thaw"; agents: readonly AgentId[] }
	/** `keeps`: what the call has said so far is recorded as an answer that was interrupted. */
	| { do: "cancel_call"; agent: AgentId; keeps?: true }
	/** Let what was changed of the agent hold for it. */
	| { do: "change"; agent: AgentId; isOtherModel?: true }
	/** Ask the agent's model a question beside its conversation. */
	| { do: "call_aside"; agent: AgentId; request: ModelRequest; reservation?: Reservation }
	/** End the processes left below an ended agent. `isGone`: its own process, too, as its connection closed; else tell it when done. */
	| { do: "end"; agent: AgentId; isGone: boolean }
	/** End the agent, which was told to stop, and all below it once the grace period is over. */
	| { do: "end_after_grace"; agent: AgentId };
