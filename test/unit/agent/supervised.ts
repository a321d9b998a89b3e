/**
 * The supervisor's side of an agent in a test: the real Conversation makes the requests of its asks, and holds them, and all
 * that is recorded, against what was said. What an agent of ours does is never refused.
 */
import type { Reply } from "../../../src/agent/supervisor-client.ts";
import { defined } from "../../../src/core/defined.ts";
import type { Message } from "../../../src/core/model/message.ts";
import type { AskKind, ModelOutcome, ModelRequest } from "../../../src/core/model/model.ts";
import { NO_USAGE } from "../../../src/core/model/usage.ts";
import {
	Conversation,
	type ConversationFacts,
	type Recorded,
} from "../../../src/supervisor/conversations/conversation.ts";

export interface Supervised {
	requestOf(messages: readonly Message[], kind: AskKind): ModelRequest;
	record(entry: Recorded): void;
	heard(kind: AskKind, reply: Reply | undefined): void;
}

export function supervised(facts: ConversationFacts): Supervised {
	const conversation = new Conversation(facts);
	return {
		requestOf: (messages, kind) => {
			const asked = conversation.asked(kind, structuredClone([...messages]));
			if (asked.is !== "request") throw new Error(asked.is === "fault" ? asked.what : asked.reason);
			return asked.request;
		},
		record: (entry) => {
			const fault = conversation.fault(entry);
			if (fault !== undefined) throw new Error(fault);
			conversation.add(entry.role === "note" ? { ...entry, at: 1, turn: 1 } : { ...entry, at: 1 });
		},
		heard: (kind, reply) => {
			const outcome = outcomeOf(reply);
			if (outcome === undefined) return;
			conversation.heard(kind, outcome);
			if (outcome.is === "failure" || kind === "compaction") return;
			const { content, stopReason, usage, model } = structuredClone(outcome);
			conversation.add({ role: "assistant", content, stopReason, usage, model, at: 1, turn: 1, costUsd: 0 });
		},
	};
}

function outcomeOf(reply: Reply | undefined): ModelOutcome | undefined {
	switch (reply?.say) {
		case "answer":
			return { is: "reply", model: "m", content: reply.content, stopReason: reply.stopReason, usage: reply.usage };
		case "ask_failed": {
			const { reason, exitCode, contextFull, refusesThinking } = reply;
			return { is: "failure", reason, exitCode, usage: NO_USAGE, ...defined({ contextFull, refusesThinking }) };
		}
		case "ask_refused":
		case undefined:
			return undefined;
	}
}
