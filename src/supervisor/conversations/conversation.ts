/**
 * One agent's conversation with its model, as its supervisor keeps it: it makes the requests, of which the agent gives the
 * messages alone, and believes of them nothing that was not recorded. An agent records what it says itself; what the model
 * says comes from the model.
 */
import { commandLog } from "../../core/command.ts";
import { answeredIdsIn, callIdsIn, type Message, textOf } from "../../core/model/message.ts";
import type { AskKind, ModelOutcome, ModelRequest } from "../../core/model/model.ts";
import { withoutGoOn } from "../../core/model/placeholder-texts.ts";
import { ASIDE } from "../../core/model/told-message.ts";
import type { CompactionNote, TranscriptEntry, UserEntry } from "../../core/model/transcript.ts";
import { totalTokens, type Usage } from "../../core/model/usage.ts";
import type { FromAgent } from "../../wire/agent-messages.ts";
import { hasOtherKeys, SaidBlocks } from "./said-blocks.ts";
import { TOOLS } from "./tools.ts";

const ASKED_ASIDE = `${ASIDE} Answer it from what you know, in a few words, and call no tool. Neither the question nor your answer stays in the conversation.]`;

export interface ConversationFacts extends SummaryBounds {
	readonly task: string;
	readonly system: string;
	/** The agent's. */
	readonly directory: string;
}

export type Recorded = Extract<FromAgent, { say: "record" }>["entry"];

export type Asked =
	| { readonly is: "request"; readonly request: ModelRequest }
	/** The agent may not ask this now; `reason` is told to it. */
	| { readonly is: "refused"; readonly reason: string }
	/** No agent of ours asks so. */
	| { readonly is: "fault"; readonly what: string };

export class Conversation {
	private system: string;
	private readonly said: SaidBlocks;
	private rule: SummaryRule;
	/** Ids of the newest answer's calls that have no result yet. */
	private open: string[] = [];
	/** The newest summary, until it is in force. */
	private summary: string | undefined;

	constructor(facts: ConversationFacts) {
		this.system = facts.system;
		this.said = new SaidBlocks(facts.task, facts.directory);
		this.rule = new SummaryRule(facts);
	}

	/** From now on its agent works with this. */
	change(facts: Pick<ConversationFacts, "system"> & SummaryBounds): void {
		this.system = facts.system;
		this.rule = new SummaryRule(facts);
	}

	/** A person asks for a summary, whatever the context has. */
	allowSummary(keep: string | undefined): void {
		this.rule.allow(keep);
	}

	/** What is wrong with messages that the agent says its next request would have. */
	messagesFault(messages: readonly Message[]): string | undefined {
		return this.said.fault(messages);
	}

	/** The request of a question beside the conversation. It ends as one that is in the cache begins. */
	aside(messages: readonly Message[], question: string): ModelRequest {
		const asked = withWords(messages, `${ASKED_ASIDE}\n\n${question}`);
		return { system: this.system, tools: TOOLS, messages: asked, mayUseTools: true };
	}

	/** Takes a line of the transcript in. */
	add(entry: TranscriptEntry): void {
		this.said.add(entry);
		if (entry.role === "assistant") {
			this.open = callIdsIn(entry.content);
			this.rule.answered(entry.usage);
		} else if (entry.role === "user") {
			const answered = new Set(answeredIdsIn(entry.content));
			this.open = this.open.filter((id) => !answered.has(id));
			this.rule.recorded(bytesOf(entry.content));
		} else if (entry.note === "compaction") this.summary = undefined;
	}

	/** What is wrong with an entry that the agent wants to have recorded. */
	fault(entry: Recorded): string | undefined {
		return entry.role === "user" ? this.messageFault(entry) : this.compactionFault(entry);
	}

	/** Makes the request of an ask. */
	asked(kind: AskKind, messages: Message[]): Asked {
		const what = this.said.fault(messages);
		if (what !== undefined) return { is: "fault", what };
		const request = { system: this.system, tools: TOOLS, messages, mayUseTools: kind !== "last" };
		if (kind !== "compaction") return { is: "request", request };
		const reason = this.rule.refusal(promptBytes(this.system) + bytesOf(messages));
		if (reason !== undefined) return { is: "refused", reason };
		const { mayUseTools } = this.rule;
		return { is: "request", request: { ...request, messages: withWords(messages, this.rule.words), mayUseTools } };
	}

	/** Learns what became of a call. The answer of a turn is taken in as a line of the transcript, too. */
	heard(kind: AskKind, outcome: ModelOutcome): void {
		this.rule.learn(outcome);
		if (kind !== "compaction") return;
		this.rule.summarised(outcome);
		if (outcome.is === "reply") this.summary = textOf(outcome.content).trim();
	}

	private messageFault({ content, commands = [] }: Pick<UserEntry, "content" | "commands">): string | undefined {
		const odd = content.find(hasOtherKeys);
		if (odd !== undefined) return `an entry with a block that no agent writes`;
		const results = answeredIdsIn(content);
		if (new Set(results).size < results.length || results.some((id) => !this.open.includes(id)))
			return "an entry with a result that no call waits for";
		const isOwn = commands.every(
			({ toolUseId, command, log }) =>
				results.includes(toolUseId) && (log === undefined || log === commandLog(command)),
		);
		return isOwn ? undefined : "an entry with a command that is not that of its results";
	}

	private compactionFault({ how, summary, ...counts }: Omit<CompactionNote, "turn" | "at">): string | undefined {
		const { keptMessages, keptResults = 0, tokensBefore, tokensAfter } = counts;
		if (![keptMessages, keptResults, tokensBefore, tokensAfter].every((count) => count >= 0))
			return "a compaction with a count below 0";
		const isSaid = how === "summary" ? summary !== "" && summary === this.summary : summary === "";
		return isSaid ? undefined : "a compaction with a summary that the model has not written";
	}
}

/** The size of what each request has beside its messages. */
export function promptBytes(system: string): number {
	return bytesOf(system) + bytesOf(TOOLS);
}

function bytesOf(value: unknown): number {
	return Buffer.byteLength(JSON.stringify(value));
}

function withWords(messages: readonly Message[], text: string): Message[] {
	const last = messages.at(-1);
	if (last?.role !== "user") return [...messages];
	return [...messages.slice(0, -1), { role: "user", content: [...withoutGoOn(last.content), { type: "text", text }] }];
}

/**
 * When an agent may ask its model for a summary of older messages: when its context is nearly full, by what the service has
 * counted or says, and a few times between two turns. A summary is no turn, so no other limit bounds it. The words that ask
 * for it are here, too.
 */

const MOST_BETWEEN_TURNS = 6; // of the whole and of a shorter context; each with tools, without, and once without thinking
const NEARLY = 0.9; // of the share at which the agent asks: both estimate what the service has not counted yet
const BYTES_A_TOKEN = 3; // as the agent estimates

const SUMMARY =
	"next answer will replace the older messages above; only the task and the newest messages stay. " +
	"Call no tool. Write down all that is needed to go on without them, exact in names, paths and numbers, and no more: " +
	"what was asked, with every wish and bound; what was done and what was found; the files that were read, written or changed; " +
	"decisions and their reasons; what is still open and what comes next; what runs in the background (processes, agents, logs).";

export const ASK_FOR_SUMMARY = `The context is nearly full, so your ${SUMMARY}`;

interface SummaryBounds {
	/** The model's context window, tokens. */
	readonly contextTokens: number;
	/** The share of it, 0 to 1, at which the agent asks; 0: only when the service says that the context is full. */
	readonly compactAt: number;
}

class SummaryRule {
	private readonly compactAt: number;
	private window: number;
	/** Of the context when the service last counted them, and the bytes that the agent has added since. */
	private counted: { tokens: number; newBytes: number } | undefined;
	private isFull = false;
	/** A person asks for a summary. */
	private asking: { readonly keep: string | undefined } | undefined;
	private asked = 0;
	/** The newest summary called a tool instead. */
	private hasCalled = false;

	constructor({ contextTokens, compactAt }: SummaryBounds) {
		this.window = contextTokens;
		this.compactAt = compactAt;
	}

	/** The words that ask for the summary. */
	get words(): string {
		if (this.asking === undefined) return ASK_FOR_SUMMARY;
		const { keep } = this.asking;
		return `The person asks for a summary: your ${SUMMARY}${keep === undefined ? "" : ` Keep above all: ${keep}`}`;
	}

	/** A person asks for a summary, whatever the context has. `keep`: what has to be in it. */
	allow(keep: string | undefined): void {
		this.asking = { keep };
		this.asked = 0;
	}

	/** False in a call that follows on one in whose place the model has called a tool. */
	get mayUseTools(): boolean {
		return !this.hasCalled;
	}

	recorded(bytes: number): void {
		if (this.counted !== undefined) this.counted.newBytes += bytes;
	}

	/** `usage`: of the answer of a turn. */
	answered(usage: Usage | undefined): void {
		const tokens = usage === undefined ? 0 : totalTokens(usage);
		this.counted = tokens === 0 ? undefined : { tokens, newBytes: 0 }; // some models count none
		this.asked = 0;
		this.asking = undefined;
		this.hasCalled = false;
	}

	/** The outcome of any call of the agent. */
	learn(outcome: ModelOutcome): void {
		if (outcome.is === "reply") this.isFull = outcome.stopReason === "model_context_window_exceeded";
		else if (outcome.contextFull !== undefined) {
			this.isFull = true;
			this.window = Math.min(this.window, outcome.contextFull.maxTokens ?? this.window);
		}
	}

	/** The outcome of a call for a summary. */
	summarised(outcome: ModelOutcome): void {
		if (outcome.is === "reply") this.hasCalled = outcome.stopReason === "tool_use";
		else if (!outcome.refusesThinking) this.hasCalled = false;
	}

	/** Why no summary may be asked for now; undefined when it may, and then it counts. `bytes`: of the whole request. */
	refusal(bytes: number): string | undefined {
		const { tokens, newBytes } = this.counted ?? { tokens: 0, newBytes: bytes };
		const isNearlyFull = tokens + newBytes / BYTES_A_TOKEN >= NEARLY * this.compactAt * this.window;
		const isWanted = this.isFull || this.asking !== undefined;
		if (!isWanted && (this.compactAt === 0 || !isNearlyFull))
			return "a summary is written when the context is nearly full, and it is not";
		if (this.asked >= MOST_BETWEEN_TURNS) return `${MOST_BETWEEN_TURNS} summaries were asked for since the last turn`;
		this.asked += 1;
		return undefined;
	}
}
