/**
 * The turns of a transcript, and their answers while they are written. A turn takes its place when something comes of it: the
 * messages that go with its call are recorded shortly after it has begun, and belong above it. Pure.
 */
import type { ToolUseBlock } from "../../core/model/message.ts";
import type { ModelDelta } from "../../core/model/model.ts";
import { isSamePiece } from "../../core/model/model.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { AssistantEntry } from "../../core/schemas/transcript.ts";
import type { Changes } from "./changes.ts";
import type { NoticeItem, SaidItem, TurnEnd, TurnItem } from "./items.ts";

type Retrying = Extract<RunEvent, { event: "turn_retrying" }>;
type TurnEndEvent = Extract<RunEvent, { event: "turn_ended" | "turn_failed" | "turn_cancelled" }>;
type Shown = Exclude<AssistantEntry["content"][number], ToolUseBlock>;

/** A piece of an answer. `attempt`: how often its call had been made again; absent when pieces come in order with the events. */
export interface AnswerPiece {
	readonly turn: number;
	readonly attempt?: number;
	readonly delta: ModelDelta;
}

interface Streamed {
	readonly first: ModelDelta;
	item: SaidItem;
}

interface Turn {
	item: TurnItem;
	isPlaced: boolean;
	/** How often its call was made again. */
	attempt: number;
	/** So many calls were made for this turn before, also such as have failed. */
	tries: number;
	/** The blocks of its answer so far. */
	streamed: Streamed[];
	/** Pieces of it came. */
	hasStreamed: boolean;
}

export class TranscriptTurns {
	private readonly changes: Changes;
	/** The newest. */
	private turn: Turn | undefined;
	private queuedAt: number | undefined;
	/** What happened while the turn has no place: below the turn, but above messages that go with it. */
	private held: NoticeItem[] = [];
	private isSummarizing = false;
	/** Pieces that came before the events that go before them. */
	private early: AnswerPiece[] = [];
	/** Pieces come once more from the beginning of the answer: so much was seen again. */
	private seen: { block: number; chars: number } | undefined;

	constructor(changes: Changes) {
		this.changes = changes;
	}

	/** The newest turn of which something is known; undefined before the first. */
	get number(): number | undefined {
		return this.turn?.item.turn;
	}

	/** It is the newest turn, and its events are known. */
	tells(turn: number): boolean {
		return this.turn?.item.turn === turn && this.turn.item.startedAt !== undefined;
	}

	get isOpen(): boolean {
		return this.turn !== undefined && this.turn.item.end === undefined && this.turn.item.answer === undefined;
	}

	/** When the call that is under way was made. */
	get openSince(): number | undefined {
		return this.isOpen ? this.turn?.item.startedAt : undefined;
	}

	/** Pieces of the newest answer came. */
	get hasStreamed(): boolean {
		return this.turn?.hasStreamed === true;
	}

	/** So many calls were made for the newest turn before its newest one. */
	get tries(): number {
		return this.turn?.tries ?? 0;
	}

	queued(at: number): void {
		this.queuedAt = at;
	}

	/** `at`: when its call was made, if that is known; else `keyAt` names it. */
	begin(turn: number, at: number | undefined, keyAt = at ?? 0): void {
		this.isSummarizing = false;
		if (this.isOpen) this.over({ by: "cut_off" }, at);
		this.letGo();
		const waitedMs = at === undefined || this.queuedAt === undefined ? 0 : Math.max(0, at - this.queuedAt);
		this.queuedAt = undefined;
		const item: TurnItem = {
			...{ is: "turn", key: `turn:${turn}@${keyAt}`, turn, startedAt: at, waitedMs, retries: [] },
			...{ end: undefined, endedAt: undefined, answer: undefined },
		};
		const tries = this.number === turn ? this.tries + 1 : 0;
		this.turn = { item, isPlaced: false, attempt: 0, tries, streamed: [], hasStreamed: false };
		this.seen = undefined;
		this.takeEarly();
	}

	/** The call that begins is no turn: it writes a summary. */
	summarizes(): void {
		this.isSummarizing = true;
		this.queuedAt = undefined;
	}

	/** Something happened. */
	notice(item: NoticeItem): void {
		if (this.isOpen && !this.turn?.isPlaced) this.held.push(item);
		else this.changes.added(item);
	}

	withoutNotice(key: string): void {
		this.held = this.held.filter((item) => item.key !== key);
		this.changes.removed(key);
	}

	/** Shows what happened, even where the turn has no place. */
	letGo(): void {
		for (const item of this.held.splice(0)) this.changes.added(item);
	}

	/** Shows the turn that is under way. */
	place(): void {
		const { turn } = this;
		if (turn === undefined || turn.isPlaced) return;
		turn.isPlaced = true;
		this.changes.added(turn.item);
		this.letGo();
	}

	retried({ turn, attempt, at, reason }: Retrying): void {
		if (this.isSummarizing || !this.isOpen || this.number !== turn) return;
		this.place();
		this.breakOff();
		const open = this.turn as Turn;
		open.item = this.changes.changed({ ...open.item, retries: [...open.item.retries, { at, reason }] });
		open.attempt = attempt;
		open.tries++;
	}

	/** A turn that was answered shows that with its answer. */
	ended(event: TurnEndEvent): void {
		const { turn } = this;
		if (turn?.item.turn !== event.turn || this.isSummarizing) return;
		const end = turnEndOf(event);
		if (end.by !== "answer") return this.over(end, event.at);
		turn.item = { ...turn.item, end, endedAt: turn.item.endedAt ?? endAt(turn.item, event.at) };
		if (turn.isPlaced) this.changes.changed(turn.item);
	}

	/** The agent does no more. */
	close(at: number): void {
		if (this.isOpen) this.over({ by: "cut_off" }, at);
		this.queuedAt = undefined;
	}

	private over(end: TurnEnd, at: number | undefined): void {
		const { turn } = this;
		if (turn === undefined) return;
		this.place();
		this.breakOff();
		turn.item = this.changes.changed({ ...turn.item, end, endedAt: turn.item.endedAt ?? endAt(turn.item, at) });
	}

	/** What has streamed is void, or all that there will be. */
	breakOff(): void {
		for (const one of this.turn?.streamed.splice(0) ?? []) this.changes.changed({ ...one.item, state: "broken" });
	}

	piece(piece: AnswerPiece): void {
		const place = this.placeOf(piece);
		if (place === "future") this.early.push(piece);
		if (place !== "now") return;
		const { turn } = this;
		if (turn === undefined) return;
		const text = this.unseenOf(piece.delta, turn.streamed);
		if (text !== "") this.stream(turn, { ...piece.delta, text });
	}

	/** The pieces of the answer so far come once more, from its beginning. */
	replay(): void {
		this.seen = { block: 0, chars: 0 };
	}

	/** `onCall` gets the calls of tools, and the keys that they had while they were written. */
	answered(entry: AssistantEntry, onCall: (call: ToolUseBlock, formerKey: string) => void): void {
		const isOfThis = this.turn?.item.turn === entry.turn && this.turn.item.answer === undefined;
		if (!isOfThis) this.begin(entry.turn, undefined, entry.at);
		const turn = this.turn as Turn;
		const wasPlaced = turn.isPlaced;
		turn.item = { ...turn.item, answer: entry };
		this.place();
		for (const [index, block] of entry.content.entries()) {
			const key = saidKey(entry.turn, turn.tries, index);
			if (block.type !== "tool_use") this.say(turn, key, block);
			else onCall(block, key);
		}
		for (const { item } of turn.streamed.splice(0)) {
			if (item.kind === "command") this.changes.removed(item.key);
			else this.changes.changed({ ...item, state: "broken" });
		}
		if (wasPlaced) this.changes.changed(turn.item);
	}

	private placeOf({ turn, attempt }: AnswerPiece): "now" | "past" | "future" {
		const newest = this.turn;
		if (attempt === undefined) {
			if (newest !== undefined && turn < newest.item.turn) return "past";
			if (newest?.item.turn !== turn) this.begin(turn, undefined); // its beginning was not seen
			return this.isOpen ? "now" : "past";
		}
		if (newest === undefined || turn > newest.item.turn) return "future";
		if (turn < newest.item.turn || !this.isOpen || attempt < newest.attempt) return "past";
		return attempt === newest.attempt ? "now" : "future";
	}

	/** Takes the pieces for which it was too early. */
	takeEarly(): void {
		for (const piece of this.early.splice(0)) this.piece(piece);
	}

	private stream(turn: Turn, delta: ModelDelta): void {
		this.place();
		const last = turn.streamed.at(-1);
		if (last !== undefined && isSamePiece(last.first, delta)) {
			last.item = this.changes.grown({ ...last.item, text: last.item.text + delta.text }, delta.text);
			return;
		}
		if (last !== undefined) last.item = this.changes.changed({ ...last.item, state: "whole" });
		const key = saidKey(turn.item.turn, turn.tries, delta.block ?? turn.streamed.length);
		const { kind, text } = delta;
		const item = { is: "said", key, turn: turn.item.turn, kind, text, state: "streaming" } as const;
		turn.hasStreamed = true;
		turn.streamed.push({ first: delta, item: this.changes.added(item) });
	}

	/** What of the piece is new. Another text than before is all new: the call was made again. */
	private unseenOf(delta: ModelDelta, streamed: Streamed[]): string {
		const { seen } = this;
		if (seen === undefined) return delta.text;
		const next = streamed[seen.block + 1];
		const at = next !== undefined && isSamePiece(next.first, delta) ? { block: seen.block + 1, chars: 0 } : seen;
		const block = streamed[at.block];
		const known = block !== undefined && isSamePiece(block.first, delta) ? block.item.text.slice(at.chars) : "";
		const again = Math.min(known.length, delta.text.length);
		if (known.slice(0, again) === delta.text.slice(0, again) && again === delta.text.length) {
			this.seen = { block: at.block, chars: at.chars + again };
			return "";
		}
		this.seen = undefined;
		if (known.slice(0, again) === delta.text.slice(0, again)) return delta.text.slice(again);
		this.breakOff();
		if (this.turn !== undefined) this.turn.tries++;
		return delta.text;
	}

	/** A block of the recorded answer: what has streamed of it goes on, and is whole then. */
	private say(turn: Turn, key: string, block: Shown): void {
		const { kind, text } = shownOf(block);
		const at = turn.streamed.findIndex(({ item }) => item.kind === kind);
		const streamed = turn.streamed[at];
		if (streamed === undefined || !text.startsWith(streamed.item.text)) {
			const isTaken = turn.streamed.some(({ item }) => item.key === key); // by another text, which was no part of it
			const own = isTaken ? `${key}.recorded` : key;
			this.changes.added({ is: "said", key: own, turn: turn.item.turn, kind, text, state: "whole" });
			return;
		}
		turn.streamed.splice(at, 1);
		this.changes.changed({ ...streamed.item, text, state: "whole" });
	}
}

/** `tries`: how many calls were made for the turn before. */
function saidKey(turn: number, tries: number, block: number): string {
	return `said:${turn}.${block}${tries === 0 ? "" : `/${tries}`}`;
}

function endAt({ startedAt }: TurnItem, at: number | undefined): number | undefined {
	return at === undefined ? undefined : Math.max(startedAt ?? at, at); // the system's time may have been set back
}

function turnEndOf(event: TurnEndEvent): TurnEnd {
	const { usage, costUsd } = event;
	switch (event.event) {
		case "turn_ended":
			return { by: "answer", stopReason: event.stopReason, usage, costUsd };
		case "turn_failed":
			return { by: "failure", reason: event.reason, usage, costUsd };
		case "turn_cancelled":
			return { by: "cancelled", usage, costUsd };
	}
}

function shownOf(block: Shown): Pick<SaidItem, "kind" | "text"> {
	switch (block.type) {
		case "text":
			return { kind: "text", text: block.text };
		case "thinking":
			return { kind: "thinking", text: block.thinking };
		case "redacted_thinking":
			return { kind: "other", text: "thinking hidden by the service" };
	}
	return { kind: "other", text: String((block as { type?: unknown }).type) }; // a kind that this version does not know
}
