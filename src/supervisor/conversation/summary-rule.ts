/**
 * When an agent may ask its model for a summary of older messages: when its context is nearly full, by what the service has
 * counted or says, and a few times between two turns. A summary is no turn, so no other limit bounds it. The words that ask
 * for it are here, too.
 */
import type { ModelOutcome } from "../../core/model.ts";
import { totalTokens, type Usage } from "../../core/usage.ts";

const MOST_BETWEEN_TURNS = 6; // of the whole and of a shorter context; each with tools, without, and once without thinking
const NEARLY = 0.9; // of the share at which the agent asks: both estimate what the service has not counted yet
const BYTES_A_TOKEN = 3; // as the agent estimates

const SUMMARY =
	"next answer will replace the older messages above; only the task and the newest messages stay. " +
	"Call no tool. Write down all that is needed to go on without them, exact in names, paths and numbers, and no more: " +
	"what was asked, with every wish and bound; what was done and what was found; the files that were read, written or changed; " +
	"decisions and their reasons; what is still open and what comes next; what runs in the background (processes, agents, logs).";

export const ASK_FOR_SUMMARY = `The context is nearly full, so your ${SUMMARY}`;

export interface SummaryBounds {
	/** The model's context window, tokens. */
	readonly contextTokens: number;
	/** The share of it, 0 to 1, at which the agent asks; 0: only when the service says that the context is full. */
	readonly compactAt: number;
}

export class SummaryRule {
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
