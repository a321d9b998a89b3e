/**
 * One agent's conversation with its model, as far as its supervisor takes part: it makes the requests, and says what the agent
 * does next. Prompt, tools and the words that ask for a summary are the supervisor's; the messages are the agent's, and go to
 * the model as they come.
 */
import type { Message } from "../../core/model/message.ts";
import type { AskKind, ModelOutcome, ModelRequest } from "../../core/model/model.ts";
import { withoutGoOn } from "../../core/model/placeholder-texts.ts";
import { ASIDE } from "../../core/model/told-message.ts";
import { Replies, type ReplyFacts } from "./replies.ts";
import { TOOLS } from "./tools.ts";

const ASKED_ASIDE = `${ASIDE} Answer it from what you know, in a few words, and call no tool. Neither the question nor your answer stays in the conversation.]`;

export class Conversation {
	/** The system prompt. */
	system: string;
	/** What the agent is told to do next. */
	readonly replies: Replies;
	private readonly summaries = new SummaryRule();

	constructor(system: string, facts: ReplyFacts) {
		this.system = system;
		this.replies = new Replies(facts);
	}

	/** A person asks for a summary, whatever the context has. */
	allowSummary(keep: string | undefined): void {
		this.summaries.allow(keep);
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
		if (!this.summaries.take()) return undefined;
		const { words, mayUseTools } = this.summaries;
		return { ...request, messages: withWords(messages, words), mayUseTools };
	}

	/** Learns what became of a call. */
	heard(kind: AskKind, outcome: ModelOutcome): void {
		if (kind === "compaction") this.summaries.summarised(outcome);
		else if (outcome.is === "reply") this.summaries.turnAnswered();
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

/**
 * When an agent may ask its model for a summary of older messages, and in which words that is asked. A summary is no turn, so no
 * other limit bounds it: an agent may ask a few times between two turns.
 */

const MOST_BETWEEN_TURNS = 6; // of the whole and of a shorter context; each with tools, without, and once without thinking

const SUMMARY =
	"next answer will replace the older messages above; only the task and the newest messages stay. " +
	"Call no tool. Write down all that is needed to continue without them, with exact names, paths and numbers, and nothing more: " +
	"what was asked, with every requirement and limit; what was done and found; the files read, written or changed; " +
	"decisions and their reasons; what is open and what comes next; what is running in the background (processes, agents, logs).";

export const ASK_FOR_SUMMARY = `The context is nearly full, so your ${SUMMARY}`;

class SummaryRule {
	/** A person asks for a summary, with what has to be in it. */
	private byPerson: { readonly keep: string | undefined } | undefined;
	private asked = 0;
	/** False once the model has called a tool in place of the newest summary. */
	mayUseTools = true;

	/** The words that ask for the summary. */
	get words(): string {
		if (this.byPerson === undefined) return ASK_FOR_SUMMARY;
		const { keep } = this.byPerson;
		return `The person asks for a summary: your ${SUMMARY}${keep === undefined ? "" : ` Above all, keep: ${keep}`}`;
	}

	/** A person asks for a summary. `keep`: what has to be in it. */
	allow(keep: string | undefined): void {
		this.byPerson = { keep };
		this.asked = 0;
	}

	/** False when the agent has asked too often; else the request counts. */
	take(): boolean {
		if (this.asked >= MOST_BETWEEN_TURNS) return false;
		this.asked += 1;
		return true;
	}

	/** The model has answered a turn. */
	turnAnswered(): void {
		this.asked = 0;
		this.byPerson = undefined;
		this.mayUseTools = true;
	}

	/** The outcome of a call for a summary. */
	summarised(outcome: ModelOutcome): void {
		if (outcome.is === "reply") this.mayUseTools = outcome.stopReason !== "tool_use";
		else if (!outcome.refusesThinking) this.mayUseTools = true;
	}
}
