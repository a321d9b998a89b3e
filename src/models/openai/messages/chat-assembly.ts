/**
 * Puts an answer of /chat/completions together, which comes in chunks, or whole where a service does not stream. It counts only
 * if its end was seen: the reason why it stopped, or `[DONE]`. A tool call is taken as it was written, or not at all.
 */
import { defined } from "../../../core/defined.ts";
import type { AssistantBlock } from "../../../core/model/message.ts";
import type { ModelDelta } from "../../../core/model/model.ts";
import type { Usage } from "../../../core/model/usage.ts";
import { jsonOf } from "../../protocol/service-words.ts";
import { markedThinking } from "../../provider/marked-thinking.ts";
import { AnswerSize, checkDepth } from "../../service/answer-size.ts";
import { type Assembled, CUT_OFF } from "../../service/service-answer.ts";
import { finishOf, lastWord, NOTHING_REPORTED, reportedAfter, type Stopped, usageOf } from "./answer-end.ts";
import { type Extra, type Extras, ToolCallPieces, type WirePiece, withExtra } from "./tool-calls.ts";

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
		if (!isWhole) return CUT_OFF;
		const finish = this.refusal === "" ? finishOf(finishReason, parts.calls.count > 0) : refusedWith(this.refusal);
		if (finish.is === "broken")
			return { is: "broken", reason: `the service broke off its answer (finish_reason ${finish.word})` };
		const content = parts.content(this.service, this.data());
		return { ...finish, is: "whole", content, model: this.model, messageId: this.messageId };
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

/** An answer while it grows: thinking, text, calls, in this order, whatever the order in which their pieces come. */

const [THINKING, TEXT, FIRST_CALL] = [0, 1, 2];

class AnswerParts {
	readonly calls = new ToolCallPieces();
	private readonly thinking: string[] = [];
	private readonly text: string[] = [];
	private readonly size = new AnswerSize();
	private readonly tags = new ThinkingTags();

	/** Each gives what can be shown at once, and throws TooLarge. */
	addThinking(text: string): ModelDelta[] {
		this.size.add({ text });
		this.thinking.push(text);
		return text === "" ? [] : [{ kind: "thinking", text, block: THINKING }];
	}

	addText(written: string): ModelDelta[] {
		const { thinking, text } = this.tags.take(written);
		this.size.add({ text });
		this.text.push(text);
		const shown: ModelDelta[] = text === "" ? [] : [{ kind: "text", text, block: TEXT }];
		return [...(thinking === "" ? [] : this.addThinking(thinking)), ...shown];
	}

	addCall(piece: WirePiece, at: number): ModelDelta[] {
		const { call, command, isNew } = this.calls.take(piece, at);
		const { id, function: named, extra_content: extra } = piece;
		this.size.add({ id, ...named, extra: extra && JSON.stringify(extra) }, isNew);
		return command === "" ? [] : [{ kind: "command", text: command, block: FIRST_CALL + call }];
	}

	/** The size of all that has come. */
	get chars(): number {
		return this.size.chars;
	}

	get hasAny(): boolean {
		return this.calls.count > 0 || this.text.some((text) => text.trim() !== "");
	}

	/** Of the whole text or thinking, what has not come before, in pieces. */
	restOf(whole: { text: string; thinking: string }): { text: string; thinking: string } {
		return { text: rest(whole.text, this.text.join("")), thinking: rest(whole.thinking, this.thinking.join("")) };
	}

	/** `service`: whose the thinking is; `data`: what goes back with it. Throws for content that cannot be sent back. */
	content(service: string, data: string): AssistantBlock[] {
		const { thinking, text } = this.parted();
		const content: AssistantBlock[] = [
			...(thinking === "" && data === "" ? [] : [markedThinking(thinking, service, data)]),
			...(text === "" ? [] : [{ type: "text" as const, text }]),
			...this.calls.finished(),
		];
		checkDepth(content);
		return content;
	}

	/** What was begun as thinking and never closed, before no call, was the answer all the same. */
	private parted(): { thinking: string; text: string } {
		const isText = this.tags.isOpen && this.calls.count === 0;
		const held = this.tags.rest();
		const [thinking, text] = [this.thinking.join("") + held.thinking, this.text.join("") + held.text];
		return isText ? { thinking: "", text: `${OPENS}${thinking}${text}` } : { thinking, text };
	}
}

function rest(whole: string, before: string): string {
	if (before === "") return whole;
	return whole.startsWith(before) ? whole.slice(before.length) : "";
}

/**
 * Thinking that a model writes into its text, as `<think>…</think>` at the very beginning: so do open models behind a server that
 * does not part the two. A tag anywhere else is text.
 */
const OPENS = "<think>";
const CLOSES = "</think>";

interface Parted {
	readonly thinking: string;
	readonly text: string;
}

class ThinkingTags {
	private is: "before" | "inside" | "behind" | "text" = "before";
	/** What may be the beginning of a tag. */
	private held = "";

	/** A tag was opened and is not closed. */
	get isOpen(): boolean {
		return this.is === "inside";
	}

	/** What the piece brings, as far as that is certain. */
	take(piece: string): Parted {
		const text = this.held + piece;
		this.held = "";
		switch (this.is) {
			case "before":
				return this.before(text);
			case "inside":
				return this.inside(text);
			case "behind":
				return this.behind(text);
			case "text":
				return { thinking: "", text };
		}
	}

	/** What was held back, at the end of the answer. */
	rest(): Parted {
		const held = this.held;
		this.held = "";
		return this.isOpen ? { thinking: held, text: "" } : { thinking: "", text: held };
	}

	private before(text: string): Parted {
		const start = text.trimStart();
		if (start.length < OPENS.length && OPENS.startsWith(start)) {
			this.held = text;
			return { thinking: "", text: "" };
		}
		this.is = start.startsWith(OPENS) ? "inside" : "text";
		return this.is === "inside" ? this.inside(start.slice(OPENS.length)) : { thinking: "", text };
	}

	private inside(text: string): Parted {
		const end = text.indexOf(CLOSES);
		if (end < 0) {
			const certain = text.length - heldOf(text);
			this.held = text.slice(certain);
			return { thinking: text.slice(0, certain), text: "" };
		}
		this.is = "behind";
		return { ...this.behind(text.slice(end + CLOSES.length)), thinking: text.slice(0, end) };
	}

	/** The white space between thinking and text is of neither. */
	private behind(text: string): Parted {
		const start = text.trimStart();
		if (start !== "") this.is = "text";
		return { thinking: "", text: start };
	}
}

/** How many characters at the end of a text may be the beginning of the closing tag. */
function heldOf(text: string): number {
	for (let n = Math.min(text.length, CLOSES.length - 1); n > 0; n--) if (CLOSES.startsWith(text.slice(-n))) return n;
	return 0;
}
