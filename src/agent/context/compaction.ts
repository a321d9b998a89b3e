/**
 * Compaction of a full context: the model writes a summary that replaces older rounds; when it writes none, or the summary
 * is no gain, old tool results are dropped. Each compaction is recorded as a note, and the history follows the notes.
 * Between two answers of the model at most one summary is asked for, so compaction cannot loop.
 */

import { defined } from "../../core/defined.ts";
import { BYTES_A_TOKEN } from "../../core/model/message.ts";
import { type ContextFull, DEFAULT_COMPACT_AT } from "../../core/model/model.ts";
import { LEFT_OUT } from "../../core/model/placeholder-texts.ts";
import type { Reply, Summary } from "../../wire/agent-messages.ts";
import type { SupervisorClient } from "../supervisor-client.ts";
import {
	type Compaction,
	type Context,
	contextBytes,
	dropResults,
	type History,
	type HistoryMessage,
	requestMessagesOf,
	resultsWithin,
} from "./history.ts";

interface ContextBounds {
	/** Bytes of each request beside the messages. */
	readonly promptBytes: number;
	/** The model's context window, tokens. */
	readonly contextTokens: number;
	/** The share of the window, 0 to 1, at which a summary is written; 0: only when the service says that the context is full. */
	readonly compactAt: number;
}

/** `stopped`: the agent is told something else. */
type Room = "made" | "none" | "stopped";

const KEPT_SHARE = 0.25; // of the threshold: the newest rounds that stay
const MOST_KEPT_SHARE = 0.5; // of the threshold: when the last round alone is longer, its older results are dropped
const REDUCED_SHARE = 0.6; // of the window: the length of a request for a summary that has to fit
const LAST_SHARE = 0.1; // of the threshold: all that stays when nothing else has helped
const MOST_ATTEMPTS = 2; // to get one summary
const GROWTH_SHARE = 0.25; // of the threshold: the context has to grow by so much before the next summary

/**
 * Where the service counts more tokens than there are bytes, bytes do not tell whether a summary is a gain: it may be
 * longer by so much, and the service's next count decides.
 */
const UNMEASURED_BYTES = 2_000;

export class Compactor {
	private readonly client: Pick<SupervisorClient, "askForSummary" | "tell">;
	private readonly history: History;
	private bounds: ContextBounds;
	private window: number;
	/** Tokens: below that no summary is written, unless the service says that the context is full. */
	private nextAt: number;
	private tried: "nothing" | "summary" | "all" = "nothing";

	constructor(client: Pick<SupervisorClient, "askForSummary" | "tell">, history: History, bounds: ContextBounds) {
		this.client = client;
		this.history = history;
		this.bounds = bounds;
		this.window = bounds.contextTokens;
		this.nextAt = this.threshold;
	}

	/** From now on the context is bounded by this. */
	change(bounds: ContextBounds): void {
		this.bounds = bounds;
		this.window = bounds.contextTokens;
		this.nextAt = this.threshold;
		this.tried = "nothing";
	}

	/** Makes the history fit for the next request. False when that cannot be done which `shorten` asks for. */
	async prepare(shorten: Reply["shorten"]): Promise<boolean> {
		const { by, full = {} } = shorten ?? {};
		switch (by) {
			case undefined:
				if (this.isDue()) await this.compact();
				return true;
			case "person":
				return (await this.compact()) !== "none";
			case "service":
				return (await this.makeRoom(full)) !== "none";
			case "report":
				return this.makeRoomForReport(full) !== "none";
			case "thinking":
				return this.history.dropThinking();
		}
	}

	/** Called when the model has answered a turn: the usage of the answer tells whether the last compaction has helped. */
	answered(): void {
		if (this.tried !== "nothing") {
			const least = this.history.tokens(this.bounds.promptBytes) + GROWTH_SHARE * this.threshold;
			this.nextAt = Math.max(this.threshold, least);
		}
		this.tried = "nothing";
	}

	private isDue(): boolean {
		const { compactAt, promptBytes } = this.bounds;
		return compactAt > 0 && this.tried === "nothing" && this.history.tokens(promptBytes) >= this.nextAt;
	}

	private async compact(): Promise<Room> {
		this.tried = "summary";
		return this.summarizeOrDrop(this.history.tokens(this.bounds.promptBytes), false);
	}

	/** Compacts because the service says that the context is full. `none`: nothing more can be left out. */
	private async makeRoom(full: ContextFull): Promise<Room> {
		const tokens = this.fullTokens(full);
		if (this.tried === "nothing") {
			this.tried = "summary";
			const room = await this.summarizeOrDrop(tokens, true);
			if (room !== "none") return room;
		}
		return this.dropOnce(tokens, LAST_SHARE * this.threshold);
	}

	/** Compacts without a call of the model: at a limit the only call left is the report. */
	private makeRoomForReport(full: ContextFull): Room {
		const share = this.tried === "nothing" ? MOST_KEPT_SHARE : LAST_SHARE;
		return this.dropOnce(this.fullTokens(full), share * this.threshold);
	}

	private get threshold(): number {
		return (this.bounds.compactAt || DEFAULT_COMPACT_AT) * this.window;
	}

	/** Tokens of the prompt that did not fit. The service may know a smaller window than the catalogue. */
	private fullTokens({ promptTokens, maxTokens }: ContextFull): number {
		this.window = Math.min(this.window, maxTokens ?? this.window);
		return Math.max(promptTokens ?? this.window, this.history.tokens(this.bounds.promptBytes));
	}

	private async summarizeOrDrop(tokens: number, isFull: boolean): Promise<Room> {
		const { history } = this;
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
		const { history } = this;
		const { messages } = history.context;
		const bytes = this.bytesATokenNow(tokens) * mostTokens;
		const unseen = resultsWithin(messages.slice(-1), bytes, history.pathOf); // results that the model has not seen yet
		const keptResults = Math.max(unseen, resultsWithin(messages, bytes - this.bounds.promptBytes, history.pathOf));
		const kept = { keptMessages: messages.length - 1, keptResults };
		return this.apply(tokens, { how: "dropped_results", summary: "", ...kept }) ? "made" : "none";
	}

	/** Records and applies a compaction; false, without any effect, when the context would not be shorter. */
	private apply(tokens: number, change: Omit<Compaction, "role" | "note">): boolean {
		const { history, client } = this;
		const compaction: Compaction = { role: "note", note: "compaction", ...change };
		const before = this.bounds.promptBytes + contextBytes(history.context);
		const after = this.bounds.promptBytes + contextBytes(history.compacted(compaction));
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
		const { history } = this;
		const bytes = REDUCED_SHARE * this.window * this.bytesATokenNow(tokens) - this.bounds.promptBytes;
		const requests: (() => Context)[] = [() => reduceTo(history.context, bytes, history.pathOf)];
		if (!isFull) requests.unshift(() => history.context);
		for (const request of requests) {
			const summary = await this.requestSummary(request);
			if (summary === undefined || summary.is === "interrupted") return "stopped";
			if (summary.is !== "too_long") return summary.is === "written" ? summary : undefined;
		}
		return undefined;
	}

	/** Once more where the model calls a tool in place of a summary, and where its service refuses the thinking. */
	private async requestSummary(context: () => Context): Promise<Summary | undefined> {
		let summary: Summary | undefined;
		for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
			summary = await this.client.askForSummary(requestMessagesOf(context()));
			if (summary?.is !== "again") return summary;
			if (summary.withoutThinking && !this.history.dropThinking()) return summary;
		}
		return summary;
	}

	/** Bytes for each token that the service counted, which may be far from the estimate. */
	private bytesATokenNow(tokens: number): number {
		return (this.bounds.promptBytes + contextBytes(this.history.context)) / Math.max(1, tokens);
	}
}

/**
 * What a compaction keeps: the task, and whole rounds from the end. A round is an answer of the model and the user message
 * that follows it, so no cut comes between a call and its result. Pure.
 */

const [DO_NOT_FIT] = LEFT_OUT;

type PathOf = (log: string) => string;

/**
 * The index of the first message of the newest rounds that have at most `bytes` together; the last round is always kept.
 * 1, the index after the task, when there is no older round.
 */
export function keptFrom(messages: readonly HistoryMessage[], bytes: number): number {
	let cut = 0;
	let size = 0;
	const unanswered = new Set<string>(); // ids of results whose call stands in an earlier message
	for (let at = messages.length - 1; at >= 1; at--) {
		const one = messages[at];
		size += one?.bytes ?? 0;
		for (const block of one?.message.content ?? [])
			if (block.type === "tool_result") unanswered.add(block.tool_use_id);
			else if (block.type === "tool_use") unanswered.delete(block.id);
		const begins =
			one?.message.role === "assistant" && messages[at - 1]?.message.role === "user" && unanswered.size === 0;
		if (begins && (cut === 0 || size <= bytes)) cut = at;
		if (cut !== 0 && size > bytes) break;
	}
	return Math.max(1, cut);
}

export interface Kept {
	keptMessages: number;
	keptResults?: number;
}

/**
 * What a summary would leave: the newest rounds of `keepBytes`, without their older results where they have more than
 * `mostBytes`. Undefined when there is no older round to replace.
 */
function planSummary(
	{ messages }: Context,
	{ keepBytes, mostBytes }: { keepBytes: number; mostBytes: number },
	pathOf: PathOf,
): Kept | undefined {
	const from = keptFrom(messages, keepBytes);
	if (from <= 1) return undefined;
	const kept = messages.slice(from);
	const size = kept.reduce((sum, { bytes }) => sum + bytes, 0);
	const keptResults = size <= mostBytes ? undefined : resultsWithin(kept, mostBytes, pathOf);
	return { keptMessages: kept.length, ...defined({ keptResults }) };
}

/** The context in at most `bytes`, so that a request fits: without old results, then without the oldest rounds. */
function reduceTo(context: Context, bytes: number, pathOf: PathOf): Context {
	const { messages, summary } = context;
	const lighter = dropResults(messages, resultsWithin(messages, bytes, pathOf), pathOf);
	const size = lighter.reduce((sum, one) => sum + one.bytes, 0);
	const from = size <= bytes ? 1 : keptFrom(lighter, bytes - (lighter[0]?.bytes ?? 0));
	if (from <= 1) return { messages: lighter, summary };
	const note = summary === "" ? DO_NOT_FIT : `${summary}\n\n${DO_NOT_FIT}`;
	return { messages: [...lighter.slice(0, 1), ...lighter.slice(from)], summary: note };
}
