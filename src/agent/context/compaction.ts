/**
 * Compaction of a full context: the model writes a summary that replaces older rounds; when it writes none, or the summary
 * is no gain, old tool results are dropped. Each compaction is recorded as a note, and the history follows the notes.
 * Between two answers of the model at most one summary is asked for, so compaction cannot loop.
 */

import { DEFAULT_COMPACT_AT } from "../../core/limits/compact-at.ts";
import { INTERRUPTED_STOP, textOf } from "../../core/model/message.ts";
import type { ContextFull } from "../../core/model/model.ts";
import type { Reply, SupervisorClient } from "../supervisor-client.ts";
import { planSummary, reduceTo } from "./compaction-plan.ts";
import { resultsWithin } from "./drop-results.ts";
import type { Context } from "./history.ts";
import { BYTES_A_TOKEN, type Compaction, contextBytes, type History, requestMessagesOf } from "./history.ts";

export interface CompactionDeps {
	client: Pick<SupervisorClient, "ask" | "tell">;
	history: History;
	/** Bytes of each request beside the messages. */
	promptBytes: number;
	/** The model's context window, tokens. */
	contextTokens: number;
	/** The share of the window, 0 to 1, at which a summary is written; 0: only when the service says that the context is full. */
	compactAt: number;
}

export type Room = "made" | "none" | "stopped";

const KEPT_SHARE = 0.25; // of the threshold: the newest rounds that stay
const MOST_KEPT_SHARE = 0.5; // of the threshold: when the last round alone is longer, its older results are dropped
const REDUCED_SHARE = 0.6; // of the window: the length of a request for a summary that has to fit
const LAST_SHARE = 0.1; // of the threshold: all that stays when nothing else has helped
const GROWTH_SHARE = 0.25; // of the threshold: the context has to grow by so much before the next summary

/**
 * Where the service counts more tokens than there are bytes, bytes do not tell whether a summary is a gain: it may be
 * longer by so much, and the service's next count decides.
 */
const UNMEASURED_BYTES = 2_000;

export class Compactor {
	/** Notes that came with the answers to requests for a summary; the loop adds them to the next user message. */
	notes: string[] = [];
	private readonly deps: CompactionDeps;
	private window: number;
	/** Tokens: below that no summary is written, unless the service says that the context is full. */
	private nextAt: number;
	private tried: "nothing" | "summary" | "all" = "nothing";

	constructor(deps: CompactionDeps) {
		this.deps = deps;
		this.window = deps.contextTokens;
		this.nextAt = this.threshold;
	}

	/** Called when the model has answered a turn: the usage of the answer tells whether the last compaction has helped. */
	answered(): void {
		if (this.tried !== "nothing") {
			const least = this.deps.history.tokens(this.deps.promptBytes) + GROWTH_SHARE * this.threshold;
			this.nextAt = Math.max(this.threshold, least);
		}
		this.tried = "nothing";
	}

	isDue(): boolean {
		const { history, compactAt } = this.deps;
		return compactAt > 0 && this.tried === "nothing" && history.tokens(this.deps.promptBytes) >= this.nextAt;
	}

	/** Compacts at the threshold. The next turn may be asked for also when nothing could be done, unless it is `stopped`. */
	async compact(): Promise<Room> {
		this.tried = "summary";
		return this.summariseOrDrop(this.deps.history.tokens(this.deps.promptBytes), false);
	}

	/** Compacts because the service says that the context is full. `none`: nothing more can be left out. */
	async makeRoom(full: ContextFull): Promise<Room> {
		const tokens = this.fullTokens(full);
		if (this.tried === "nothing") {
			this.tried = "summary";
			const room = await this.summariseOrDrop(tokens, true);
			if (room !== "none") return room;
		}
		return this.dropOnce(tokens, LAST_SHARE * this.threshold);
	}

	/** Compacts without a call of the model: at a limit the only call left is the report. */
	makeRoomForReport(full: ContextFull): Room {
		const share = this.tried === "nothing" ? MOST_KEPT_SHARE : LAST_SHARE;
		return this.dropOnce(this.fullTokens(full), share * this.threshold);
	}

	private get threshold(): number {
		return (this.deps.compactAt || DEFAULT_COMPACT_AT) * this.window;
	}

	/** Tokens of the prompt that did not fit. The service may know a smaller window than the catalogue. */
	private fullTokens({ promptTokens, maxTokens }: ContextFull): number {
		this.window = Math.min(this.window, maxTokens ?? this.window);
		return Math.max(promptTokens ?? this.window, this.deps.history.tokens(this.deps.promptBytes));
	}

	private async summariseOrDrop(tokens: number, isFull: boolean): Promise<Room> {
		const { history } = this.deps;
		const share = this.bytesATokenNow(tokens) * this.threshold;
		const keepBytes = Math.min(KEPT_SHARE * share, contextBytes(history.context) / 2);
		const bounds = { keepBytes, mostBytes: MOST_KEPT_SHARE * share };
		const kept = planSummary(history.context, bounds, history.pathOf);
		if (kept !== undefined) {
			const summary = await this.askForSummary(tokens, isFull);
			if (summary === "stopped") return "stopped";
			if (summary !== undefined && this.apply(tokens, { how: "summary", summary: summary.text, ...kept }))
				return "made";
		}
		return this.drop(tokens, MOST_KEPT_SHARE * this.threshold);
	}

	private dropOnce(tokens: number, mostTokens: number): Room {
		if (this.tried === "all") return "none";
		this.tried = "all";
		return this.drop(tokens, mostTokens);
	}

	private drop(tokens: number, mostTokens: number): Room {
		const { history } = this.deps;
		const { messages } = history.context;
		const bytes = this.bytesATokenNow(tokens) * mostTokens;
		const unseen = resultsWithin(messages.slice(-1), bytes, history.pathOf); // results that the model has not seen yet
		const keptResults = Math.max(unseen, resultsWithin(messages, bytes - this.deps.promptBytes, history.pathOf));
		const kept = { keptMessages: messages.length - 1, keptResults };
		return this.apply(tokens, { how: "dropped_results", summary: "", ...kept }) ? "made" : "none";
	}

	/** Records and applies a compaction; false, without any effect, when the context would not be shorter. */
	private apply(tokens: number, change: Omit<Compaction, "role" | "note">): boolean {
		const { history, client } = this.deps;
		const compaction: Compaction = { role: "note", note: "compaction", ...change };
		const before = this.deps.promptBytes + contextBytes(history.context);
		const after = this.deps.promptBytes + contextBytes(history.compacted(compaction));
		const isMeasured = tokens <= before; // a token has at least one byte
		const tolerated = isMeasured || change.how === "dropped_results" ? 0 : UNMEASURED_BYTES;
		if (after >= before + tolerated) return false;
		const estimate = isMeasured ? (tokens * after) / before : after / BYTES_A_TOKEN;
		const counts = { tokensBefore: tokens, tokensAfter: Math.round(estimate) };
		const note = { ...compaction, ...counts };
		history.add(note);
		client.tell({ say: "record", entry: note });
		return true;
	}

	/** Asks for a summary of the whole context, and of a reduced one when the whole does not fit. Undefined: none of use. */
	private async askForSummary(tokens: number, isFull: boolean): Promise<{ text: string } | "stopped" | undefined> {
		const { history } = this.deps;
		const bytes = REDUCED_SHARE * this.window * this.bytesATokenNow(tokens) - this.deps.promptBytes;
		const requests: (() => Context)[] = [() => reduceTo(history.context, bytes, history.pathOf)];
		if (!isFull) requests.unshift(() => history.context);
		for (const request of requests) {
			const reply = await this.requestTwice(request);
			if (reply === undefined || isInterrupted(reply)) return "stopped";
			if (!doesNotFit(reply)) return usable(reply);
		}
		return undefined;
	}

	/**
	 * The supervisor lets the model use tools at first: the service reads no message from its cache when `tool_choice` has
	 * changed, and this is the longest prompt of all. A model that calls a tool nevertheless is asked once more, without them.
	 */
	private async requestTwice(context: () => Context): Promise<Reply | undefined> {
		const reply = await this.requestSummary(context);
		return reply?.say === "answer" && reply.stopReason === "tool_use" ? this.requestSummary(context) : reply;
	}

	private async requestSummary(context: () => Context): Promise<Reply | undefined> {
		const { client, history } = this.deps;
		const reply = await client.ask(requestMessagesOf(context()), "compaction");
		if (reply?.say === "answer") this.notes.push(...(reply.notes ?? []));
		if (reply?.say !== "ask_failed" || !reply.refusesThinking || !history.dropThinking()) return reply;
		return client.ask(requestMessagesOf(context()), "compaction");
	}

	/** Bytes for each token that the service counted, which may be far from the estimate. */
	private bytesATokenNow(tokens: number): number {
		return (this.deps.promptBytes + contextBytes(this.deps.history.context)) / Math.max(1, tokens);
	}
}

function isInterrupted(reply: Reply): boolean {
	return reply.say === "answer" && reply.stopReason === INTERRUPTED_STOP;
}

function doesNotFit(reply: Reply): boolean {
	if (reply.say === "answer") return reply.stopReason === "model_context_window_exceeded";
	return reply.say === "ask_failed" && reply.contextFull !== undefined;
}

/** The summary, unless the answer is empty, cut, refused or a call. */
function usable(reply: Reply): { text: string } | undefined {
	if (reply.say !== "answer" || !["end_turn", "stop_sequence"].includes(reply.stopReason)) return undefined;
	const text = textOf(reply.content).trim();
	return text === "" ? undefined : { text };
}
