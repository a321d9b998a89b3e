/** What the supervisor may have to do about what has happened. */
import type { RefusalCode } from "../../core/admission.ts";
import type { AgentId, Ending } from "../../core/agent.ts";
import type { AskKind, ModelRequest } from "../../core/model.ts";
import type { Join, ToAgent } from "../../protocol/agent-messages.ts";

type WithoutPartial<M> = M extends { partial: string } ? Omit<M, "partial"> : M;
/** A message as it is decided: the outbox adds `partial`, the text of a call under way. */
export type DraftMessage = WithoutPartial<ToAgent>;

export type Effect =
	/** `was`: how an agent that goes on had ended. */
	| { do: "admit"; connection: number; agent: AgentId; join: Join; was?: Ending }
	| { do: "refuse"; connection: number; code: RefusalCode | "unknown" | "usage"; reason: string }
	/** What a call had brought so far is added to a message that has a place for it. */
	| { do: "tell"; agent: AgentId; message: DraftMessage }
	| { do: "call"; agent: AgentId; request: ModelRequest; kind: AskKind; turn: number }
	| { do: "cancel_call"; agent: AgentId }
	/** End what is left below an agent that has ended, and itself when its connection is gone; else tell it when that is done. */
	| { do: "end"; agent: AgentId; isGone: boolean }
	/** It was told to stop: after the grace, end it and all below it. */
	| { do: "end_after_grace"; agent: AgentId };
