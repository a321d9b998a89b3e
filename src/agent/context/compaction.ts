/**
 * A full context is made smaller: the model writes a summary that replaces older rounds; when it does not, or that is no
 * gain, old tool results are dropped. What was done is recorded as a note, and the history is what the notes make of it.
 * Between two answers of the model at most one summary is asked for, so this never goes round in circles.
 */

import { type ContextFull, type Message, type Tool, textOf, type UserBlock } from "../../core/model.ts";
import type { Reply, SupervisorClient } from "../supervisor-client.ts";
import { planSummary, reducedTo } from "./compaction-plan.ts";
import { resultsWithin } from "./drop-results.ts";
import { bytesOf } from "./held-message.ts";
import type { InForce } from "./history.ts";
import { BYTES_A_TOKEN, bytesInForce, type Compaction, type History, messagesOf } from "./history.ts";

export interface CompactionDeps {
	client: Pick<SupervisorClient, "ask" | "tell">;
	history: History;
	system: string;
	tools: Tool[];
	/** The model's window. */
	contextTokens: number;
	/** The share of it at which a summary is written; 0: only when the service says that the context is full. */
	compactAt: number;
	now: () => number;
}

export type Room = "made" | "none" | "stopped";

const USUAL_SHARE = 0.8;
const KEPT_SHARE = 0.25; // of the threshold: the newest rounds that stay
const MOST_KEPT_SHARE = 0.5; // when the last round alone is longer: without its older results
const REDUCED_SHARE = 0.6; // of the window: a request for a summary that has to fit
const LAST_SHARE = 0.1; // of the threshold: all that stays when nothing else has helped
const GROWTH_SHARE = 0.25; // of the threshold: by so much the context has to grow before the next summary

/**
 * Where the service counts more tokens than there are bytes, our bytes do not tell whether so much more is a gain; its
 * next count does.
 */
const UNMEASURED_BYTES = 2_000;

const ASK_FOR_SUMMARY =
	"The context is nearly full, so your next answer will replace the older messages above; only the task and the newest messages stay. " +
	"Call no tool. Write down all that is needed to go on without them, exact in names, paths and numbers, and no more: " +
	"what was asked, with every wish and bound; what was done and what was found; the files that were read, written or changed; " +
	"decisions and their reasons; what is still open and what comes next; what runs in the background (processes, agents, logs).";

export class Compactor {
	/** What the agent was told beside a summary; to be said with the next message. */
	notes: string[] = [];
	private readonly deps: CompactionDeps;
	private readonly fixedBytes: number;
	private window: number;
	/** Tokens; below it no summary is written unless the service asks for it. */
	private nextAt: number;
	private tried: "nothing" | "summary" | "all" = "nothing";

	constructor(deps: CompactionDeps) {
		this.deps = deps;
		this.fixedBytes = bytesOf(deps.system) + bytesOf(deps.tools);
		this.window = deps.contextTokens;
		this.nextAt = this.threshold;
	}

	/** The model has answered a turn: its usage tells whether what was done before has helped. */
	answered(): void {
		if (this.tried !== "nothing") {
			const least = this.deps.history.tokens(this.fixedBytes) + GROWTH_SHARE * this.threshold;
			this.nextAt = Math.max(this.threshold, least);
		}
		this.tried = "nothing";
	}

	isDue(): boolean {
		const { history, compactAt } = this.deps;
		return compactAt > 0 && this.tried === "nothing" && history.tokens(this.fixedBytes) >= this.nextAt;
	}

	/** At the threshold. Whatever comes of it, the next turn may be asked for, unless it was stopped. */
	async compact(): Promise<Room> {
		this.tried = "summary";
		return this.replace(this.deps.history.tokens(this.fixedBytes), false);
	}

	/** The service says that the context is full. `none`: no more can be done about it. */
	async makeRoom(full: ContextFull): Promise<Room> {
		const tokens = this.fullTokens(full);
		if (this.tried === "nothing") {
			this.tried = "summary";
			const room = await this.replace(tokens, true);
			if (room !== "none") return room;
		}
		return this.dropOnce(tokens, LAST_SHARE * this.threshold);
	}

	/** As `makeRoom`, with no call of the model: at a limit there is none but the report. */
	makeRoomForReport(full: ContextFull): Room {
		const share = this.tried === "nothing" ? MOST_KEPT_SHARE : LAST_SHARE;
		return this.dropOnce(this.fullTokens(full), share * this.threshold);
	}

	private get threshold(): number {
		return (this.deps.compactAt || USUAL_SHARE) * this.window;
	}

	/** How long the prompt was. The service may know a smaller window than we do. */
	private fullTokens({ promptTokens, maxTokens }: ContextFull): number {
		this.window = Math.min(this.window, maxTokens ?? this.window);
		return Math.max(promptTokens ?? this.window, this.deps.history.tokens(this.fixedBytes));
	}

	private async replace(tokens: number, isFull: boolean): Promise<Room> {
		const { history } = this.deps;
		const share = this.bytesATokenNow(tokens) * this.threshold;
		const keepBytes = Math.min(KEPT_SHARE * share, bytesInForce(history.inForce) / 2);
		const bounds = { keepBytes, mostBytes: MOST_KEPT_SHARE * share };
		const kept = planSummary(history.inForce, bounds, history.pathOf);
		if (kept !== undefined) {
			const summary = await this.summary(tokens, isFull);
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
		const { held } = history.inForce;
		const bytes = this.bytesATokenNow(tokens) * mostTokens;
		const unseen = resultsWithin(held.slice(-1), bytes, history.pathOf); // the model has not seen them yet
		const keptResults = Math.max(unseen, resultsWithin(held, bytes - this.fixedBytes, history.pathOf));
		const kept = { keptMessages: held.length - 1, keptResults };
		return this.apply(tokens, { how: "dropped_results", summary: "", ...kept }) ? "made" : "none";
	}

	/** False, and nothing has happened, when the history would not be shorter. */
	private apply(tokens: number, change: Omit<Compaction, "role" | "note">): boolean {
		const { history, client, now } = this.deps;
		const compaction: Compaction = { role: "note", note: "compaction", ...change };
		const before = this.fixedBytes + bytesInForce(history.inForce);
		const after = this.fixedBytes + bytesInForce(history.after(compaction));
		const isMeasured = tokens <= before; // a token has a byte at least
		const tolerated = isMeasured || change.how === "dropped_results" ? 0 : UNMEASURED_BYTES;
		if (after >= before + tolerated) return false;
		const estimate = isMeasured ? (tokens * after) / before : after / BYTES_A_TOKEN;
		const counts = { tokensBefore: tokens, tokensAfter: Math.round(estimate) };
		const note = { ...compaction, at: now(), ...counts };
		history.add(note);
		client.tell({ say: "record", entry: note });
		return true;
	}

	/** Asked of the whole history, and of a reduced one when the whole does not fit. Undefined: none that is of use. */
	private async summary(tokens: number, isFull: boolean): Promise<{ text: string } | "stopped" | undefined> {
		const { history } = this.deps;
		const bytes = REDUCED_SHARE * this.window * this.bytesATokenNow(tokens) - this.fixedBytes;
		const requests: (() => InForce)[] = [() => reducedTo(history.inForce, bytes, history.pathOf)];
		if (!isFull) requests.unshift(() => history.inForce);
		for (const request of requests) {
			const reply = await this.ask(request);
			if (reply === undefined) return "stopped";
			if (!doesNotFit(reply)) return usable(reply);
		}
		return undefined;
	}

	/**
	 * With the right to use tools: the service reads no message from its cache when `tool_choice` has changed, and this is the
	 * longest prompt of all. A model that calls one in spite of the words is asked again without.
	 */
	private async ask(inForce: () => InForce): Promise<Reply | undefined> {
		const reply = await this.askOnce(inForce, true);
		return reply?.say === "answer" && reply.stopReason === "tool_use" ? this.askOnce(inForce, false) : reply;
	}

	private async askOnce(inForce: () => InForce, mayUseTools: boolean): Promise<Reply | undefined> {
		const { client, system, tools, history } = this.deps;
		const words: UserBlock[] = [{ type: "text", text: ASK_FOR_SUMMARY }];
		const request = (messages: Message[]) => ({ system, tools, messages, mayUseTools });
		const reply = await client.ask(request(messagesOf(inForce(), words)), "compaction");
		if (reply?.say === "answer") this.notes.push(...(reply.notes ?? []));
		if (reply?.say !== "ask_failed" || !reply.refusesThinking || !history.dropThinking()) return reply;
		return client.ask(request(messagesOf(inForce(), words)), "compaction");
	}

	/** What the service counted may be far from our own estimate: bytes are measured by its tokens. */
	private bytesATokenNow(tokens: number): number {
		return (this.fixedBytes + bytesInForce(this.deps.history.inForce)) / Math.max(1, tokens);
	}
}

function doesNotFit(reply: Reply): boolean {
	if (reply.say === "answer") return reply.stopReason === "model_context_window_exceeded";
	return reply.say === "ask_failed" && reply.contextFull !== undefined;
}

/** Neither empty, nor cut, nor refused, and no call in its place. */
function usable(reply: Reply): { text: string } | undefined {
	if (reply.say !== "answer" || !["end_turn", "stop_sequence"].includes(reply.stopReason)) return undefined;
	const text = textOf(reply.content).trim();
	return text === "" ? undefined : { text };
}
