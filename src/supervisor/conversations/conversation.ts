/**
 * One agent's conversation with its model, as far as its supervisor takes part: it makes the requests, and says what the agent
 * does next. Prompt, tools and the words that ask for a summary are the supervisor's; the messages are the agent's, and go to
 * the model as they come.
 */

import type { AgentId } from "../../core/model/agent.ts";
import { BYTES_A_TOKEN, type Message } from "../../core/model/message.ts";
import { ASIDE } from "../../core/model/message-marks.ts";
import type { AskKind, ModelOutcome, ModelRequest } from "../../core/model/model.ts";
import { SUMMARY_FOLLOWS, withoutGoOn } from "../../core/model/placeholder-texts.ts";
import type { Joined } from "../../wire/agent-messages.ts";
import type { ContextParts } from "../../wire/watcher-messages.ts";
import { Replies, type ReplyFacts } from "./replies.ts";
import { TOOLS } from "./system-prompt.ts";

const ASKED_ASIDE = `${ASIDE} Answer it from what you know, in a few words, and call no tool. Neither the question nor your answer stays in the conversation.]`;

const MOST_SUMMARIES = 6; // between two turns: of the whole and of a shorter context; each with tools, without, and once without thinking

const SUMMARY =
	"next answer will replace the older messages above; only the task and the newest messages stay. " +
	"Call no tool. Write down all that is needed to continue without them, with exact names, paths and numbers, and nothing more: " +
	"what was asked, with every requirement and limit; what was done and found; the files read, written or changed; " +
	"decisions and their reasons; what is open and what comes next; what is running in the background (processes, agents, logs).";

export const ASK_FOR_SUMMARY = `The context is nearly full, so your ${SUMMARY}`;

export class Conversation {
	/** The system prompt. */
	system: string;
	/** Decides what the agent does next. */
	readonly replies: Replies;
	/** A person asks for a summary. `keep`: what has to be in it. */
	private byPerson: { readonly keep: string | undefined } | undefined;
	/** Summaries since the last turn. They are no turns, so no other limit bounds them. */
	private summaries = 0;
	/** False once the model has called a tool in place of the newest summary. */
	private mayUseTools = true;

	constructor(system: string, facts: ReplyFacts) {
		this.system = system;
		this.replies = new Replies(facts);
	}

	/** A person asks for a summary, whatever the context has. */
	allowSummary(keep: string | undefined): void {
		this.byPerson = { keep };
		this.summaries = 0;
	}

	/** The request of a question beside the conversation. It ends as one that is in the cache begins. */
	aside(messages: readonly Message[], question: string): ModelRequest {
		const asked = withWords(messages, `${ASKED_ASIDE}\n\n${question}`);
		return { system: this.system, tools: TOOLS, messages: asked, mayUseTools: true };
	}

	/** The request of an ask; undefined for a summary that the agent may not ask for now. */
	requestOf(kind: AskKind, messages: Message[]): ModelRequest | undefined {
		const request = { system: this.system, tools: TOOLS, messages, mayUseTools: kind !== "last" };
		if (kind !== "compaction") return request;
		if (this.summaries >= MOST_SUMMARIES) return undefined;
		this.summaries += 1;
		return { ...request, messages: withWords(messages, this.summaryWords()), mayUseTools: this.mayUseTools };
	}

	/** Learns what became of a call. */
	heard(kind: AskKind, outcome: ModelOutcome): void {
		if (kind !== "compaction") {
			if (outcome.is !== "reply") return;
			this.summaries = 0;
			this.byPerson = undefined;
			this.mayUseTools = true;
		} else if (outcome.is === "reply") this.mayUseTools = outcome.stopReason !== "tool_use";
		else if (!outcome.refusesThinking) this.mayUseTools = true;
	}

	private summaryWords(): string {
		if (this.byPerson === undefined) return ASK_FOR_SUMMARY;
		const { keep } = this.byPerson;
		return `The person asks for a summary: your ${SUMMARY}${keep === undefined ? "" : ` Above all, keep: ${keep}`}`;
	}
}

/** The size of what each request has beside its messages. */
export function promptBytes(system: string): number {
	return Buffer.byteLength(JSON.stringify(system)) + Buffer.byteLength(JSON.stringify(TOOLS));
}

function withWords(messages: readonly Message[], text: string): Message[] {
	const last = messages.at(-1);
	if (last?.role !== "user") return [...messages];
	return [...messages.slice(0, -1), { role: "user", content: [...withoutGoOn(last.content), { type: "text", text }] }];
}

/** The conversations of all agents that are connected. */
export class Conversations {
	private readonly byAgent = new Map<AgentId, Conversation>();

	open({ agent, waits }: Pick<Joined, "agent" | "waits">, system: string, facts: ReplyFacts): void {
		this.byAgent.set(agent, new Conversation(system, { ...facts, isWaiting: waits === true }));
	}

	/** Undefined for an agent that is not connected. */
	get(agent: AgentId): Conversation | undefined {
		return this.byAgent.get(agent);
	}

	close(agent: AgentId): void {
		this.byAgent.delete(agent);
	}
}

/** What fills a context, by kinds: sizes in bytes, by which the tokens that the service has counted are divided. */

/** No text has so few tokens: a service that tells of fewer has not counted what it was sent. */
const MOST_BYTES_A_TOKEN = 50;

interface ContextFacts {
	readonly messages: readonly Message[];
	readonly system: string;
	/** What stands of files of the project and the user in `system`. */
	readonly instructions: string | undefined;
	/** As the service has counted the newest context; undefined where it has not. */
	readonly countedTokens: number | undefined;
}

interface CountedContext {
	readonly parts: ContextParts;
	/** The whole is not what the service has counted. */
	readonly isEstimated: boolean;
}

export function contextParts({ messages, system, instructions = "", countedTokens }: ContextFacts): CountedContext {
	const bytes = emptyParts();
	bytes.instructions = byteLength(instructions);
	bytes.system = Math.max(0, byteLength(system) - bytes.instructions);
	bytes.tools = byteLength(TOOLS);
	for (const message of messages)
		for (const block of message.content) bytes[partOf(message.role, block)] += byteLength(block);
	const all = Object.values(bytes).reduce((sum, part) => sum + part, 0);
	const isEstimated = countedTokens === undefined || countedTokens * MOST_BYTES_A_TOKEN < all;
	const tokens = isEstimated ? Math.ceil(all / BYTES_A_TOKEN) : countedTokens;
	const shared = Object.entries(bytes).map(([part, size]) => [part, Math.round((tokens * size) / Math.max(1, all))]);
	return { parts: Object.fromEntries(shared) as ContextParts, isEstimated };
}

function partOf(role: Message["role"], block: Message["content"][number]): keyof ContextParts {
	switch (block.type) {
		case "text":
			if (role === "assistant") return "answers";
			return block.text.startsWith(SUMMARY_FOLLOWS) ? "summary" : "messages";
		case "tool_result":
			return "results";
		case "tool_use":
			return "calls";
		case "thinking":
		case "redacted_thinking":
			return "thinking";
	}
}

function emptyParts(): { -readonly [K in keyof ContextParts]: number } {
	const sizes = { system: 0, instructions: 0, tools: 0, messages: 0, answers: 0 };
	return { ...sizes, thinking: 0, calls: 0, results: 0, summary: 0 };
}

/** The size of what a request has: of a text without the escapes of JSON, which are no tokens. */
function byteLength(value: unknown): number {
	return Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
}
