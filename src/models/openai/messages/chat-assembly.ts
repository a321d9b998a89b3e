/**
 * Puts an answer of /chat/completions together, which comes in chunks, or whole where a service does not stream. It counts only
 * if its end was seen: the reason why it stopped, or `[DONE]`. A tool call is taken as it was written, or not at all.
 */
import { defined } from "../../../core/defined.ts";
import type { AssistantBlock } from "../../../core/model/message.ts";
import type { ModelDelta } from "../../../core/model/model.ts";
import type { Usage } from "../../../core/model/usage.ts";
import { jsonOf } from "../../messages-api/service-words.ts";
import { finishOf, lastWord, NOTHING_REPORTED, reportedAfter, type Stopped, usageOf } from "./answer-end.ts";
import { AnswerParts } from "./answer-parts.ts";
import { type Extra, type Extras, withExtra } from "./extra-content.ts";
import type { WirePiece } from "./tool-calls.ts";

export type Assembled =
	| {
			readonly is: "whole";
			readonly content: AssistantBlock[];
			readonly finish: Stopped;
			/** By the service's name. */
			readonly model: string | undefined;
			readonly messageId: string | undefined;
	  }
	| { readonly is: "broken"; readonly reason: string };

/** What the two protocols have in common. */
export interface Assembly {
	/** Takes what came next, and returns the text of it that can be shown at once. Throws TooLarge. */
	take(event: unknown): ModelDelta[];
	/** Grows with each piece that brings anything. */
	readonly progress: number;
	/** The whole answer was seen; `with_usage`: and what it used, or the stream's own end. */
	readonly isEnded: "no" | "whole" | "with_usage";
	usage(): Usage;
	/** Who serves the model, in a word of its own. */
	readonly servedBy?: string | undefined;
	/** After the last event. `isClean`: the stream ended by itself. Throws for content that cannot be sent back. */
	end(stream: { isClean: boolean }): Assembled;
}

/** What a stream of chunks ends with. */
export const DONE = "[DONE]";

/** `service`: whose the thinking is; `model`: by the service's name, that was asked for. */
export class ChatAssembly implements Assembly {
	private readonly parts = new AnswerParts();
	private readonly details = new ReasoningDetails();
	private readonly service: string;
	private readonly asked: string;
	private extra: Extra | undefined;
	private reported = NOTHING_REPORTED;
	private model: string | undefined;
	private messageId: string | undefined;
	private finishReason: string | undefined;
	private refusal = "";
	private isDone = false;
	servedBy: string | undefined;

	constructor(service: string, model: string) {
		this.service = service;
		this.asked = model;
	}

	get isEnded(): Assembly["isEnded"] {
		if (this.isDone) return "with_usage";
		if (this.finishReason === undefined) return "no";
		return this.reported === NOTHING_REPORTED ? "whole" : "with_usage";
	}

	get progress(): number {
		const { parts, details, refusal } = this;
		return parts.chars + details.count + refusal.length + (this.messageId === undefined ? 0 : 1);
	}

	usage(): Usage {
		return usageOf(this.reported);
	}

	take(chunk: unknown): ModelDelta[] {
		if (chunk === DONE) {
			this.isDone = true;
			return [];
		}
		const { id, model, choices, usage, x_groq: groq, system_fingerprint: fingerprint } = Object(chunk);
		this.servedBy ??= stringOf(fingerprint);
		this.messageId ??= stringOf(id);
		this.model ??= stringOf(model);
		const choice = Object(Array.isArray(choices) ? (choices.find(isFirst) ?? {}) : {});
		for (const wire of [usage, Object(groq).usage, choice.usage])
			if (wire) this.reported = reportedAfter(this.reported, wire);
		const deltas = choice.delta ? this.takeDelta(Object(choice.delta)) : this.takeWhole(choice.message);
		this.finishReason = lastWord(this.finishReason, stringOf(choice.finish_reason));
		return deltas;
	}

	end({ isClean }: { isClean: boolean }): Assembled {
		const { finishReason, isDone, parts } = this;
		const isWhole = finishReason !== undefined || (isDone && isClean && parts.hasAny);
		if (!isWhole) return { is: "broken", reason: "the service's answer was cut off before its end" };
		const finish = this.refusal === "" ? finishOf(finishReason, parts.calls.count > 0) : refusedWith(this.refusal);
		if (finish.is === "broken")
			return { is: "broken", reason: `the service broke off its answer (finish_reason ${finish.word})` };
		const content = parts.content(this.service, this.data());
		return { is: "whole", content, finish, model: this.model, messageId: this.messageId };
	}

	/** What goes back with the answer, beside its thinking. */
	private data(): string {
		const { extra: message, asked: model, details } = this;
		const calls = this.parts.calls.extras();
		if (calls.length === 0 && message === undefined) return details.json;
		const extras: Extras = { model, calls, ...defined({ message, details: jsonOf(details.json) }) };
		return JSON.stringify(extras);
	}

	/** The message as a whole, which some services send at the end of its pieces, too. */
	private takeWhole(message: unknown): ModelDelta[] {
		if (!message) return [];
		const whole: Record<string, unknown> = Object(message);
		if (this.parts.chars === 0) return this.takeDelta(whole);
		const { text, thinking } = partsOf(whole.content);
		const unseen = {
			...whole,
			...(this.refusal !== "" && { refusal: null }),
			...(this.details.json !== "" && { reasoning_details: null }),
		};
		return this.taken(unseen, this.parts.restOf({ text, thinking: thinking + thinkingIn(whole) }));
	}

	private takeDelta(delta: Record<string, unknown>): ModelDelta[] {
		const { text, thinking } = partsOf(delta.content);
		return this.taken(delta, { text, thinking: thinking + thinkingIn(delta) });
	}

	private taken(delta: Record<string, unknown>, { text, thinking }: { text: string; thinking: string }): ModelDelta[] {
		const { refusal, tool_calls: calls, function_call: call } = delta;
		this.details.take(delta.reasoning_details);
		this.extra = withExtra(this.extra, delta.extra_content);
		if (typeof refusal === "string") this.refusal += refusal;
		const pieces = [...listOf(calls), ...(call ? [{ function: call }] : [])].map((piece): WirePiece => Object(piece));
		return [
			...(thinking === "" ? [] : this.parts.addThinking(thinking)),
			...(text === "" ? [] : this.parts.addText(text)),
			...pieces.filter(bringsAny).flatMap((piece, at) => this.parts.addCall(piece, at)),
		];
	}
}

/** Only one answer is asked for; some services leave its number out. */
function isFirst(choice: unknown): boolean {
	const { index } = Object(choice);
	return index === undefined || index === null || index === 0;
}

/** The first field that has any: some services send the same thinking under two names. */
function thinkingIn({ reasoning_content, reasoning, reasoning_details }: Record<string, unknown>): string {
	const found = [reasoning_content, reasoning].find((text) => typeof text === "string" && text !== "");
	return (found as string | undefined) ?? ReasoningDetails.textOf(reasoning_details);
}

/** Content is a text, or a list of parts, some of which may be thinking. */
function partsOf(content: unknown): { text: string; thinking: string } {
	if (typeof content === "string") return { text: content, thinking: "" };
	const parts = listOf(content).map(Object);
	const thoughts = parts.filter(({ type }) => type === "thinking").map(({ thinking }) => thinking);
	return { text: textIn(parts.filter(({ type }) => type !== "thinking")), thinking: thoughts.map(textIn).join("") };
}

function textIn(value: unknown): string {
	if (typeof value === "string") return value;
	return listOf(value)
		.map((part) => stringOf(Object(part).text) ?? "")
		.join("");
}

/** Some services send lists with nothing in them. */
function bringsAny({ id, function: named, extra_content: extra }: WirePiece): boolean {
	return Boolean(id) || Boolean(named) || Boolean(extra);
}

function refusedWith(words: string): Stopped {
	return { is: "stopped", stopReason: "refusal", stopWords: words };
}

function listOf(value: unknown): object[] {
	if (Array.isArray(value)) return value;
	return typeof value === "object" && value !== null ? [value] : [];
}

function stringOf(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

/** Thinking in parts, as `reasoning_details` brings it in pieces: it goes back as it came, each part put together. */

const STRINGS = ["text", "summary", "data", "signature"];

class ReasoningDetails {
	/** How many pieces have come. */
	count = 0;
	private readonly parts: Record<string, unknown>[] = [];

	/** Pieces of one part have the same type and index. */
	take(pieces: unknown): void {
		for (const piece of Array.isArray(pieces) ? pieces : []) {
			if (typeof piece !== "object" || piece === null) continue;
			this.count += 1;
			const { type, index } = piece;
			const part = this.parts.find((other) => other.type === type && index !== undefined && other.index === index);
			if (part === undefined) this.parts.push({ ...piece });
			else grow(part, piece);
		}
	}

	/** What the pieces show; empty when they show nothing. */
	static textOf(pieces: unknown): string {
		const list: unknown[] = Array.isArray(pieces) ? pieces : [];
		return list
			.map((piece) => Object(piece).text ?? Object(piece).summary)
			.filter((text) => typeof text === "string")
			.join("");
	}

	/** JSON of all parts; empty when there are none. */
	get json(): string {
		return this.parts.length === 0 ? "" : JSON.stringify(this.parts);
	}
}

function grow(part: Record<string, unknown>, piece: Record<string, unknown>): void {
	for (const [key, value] of Object.entries(piece)) {
		if (value === null || value === undefined) continue;
		part[key] = STRINGS.includes(key) && typeof value === "string" ? `${part[key] ?? ""}${value}` : value;
	}
}
