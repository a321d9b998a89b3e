/**
 * Puts a streamed answer together. The SDK could do it, but it mends the JSON of a tool call that was cut until it can be
 * run. Here a tool call has an input only if its block was closed and its JSON parses as it stands, and an answer counts
 * only if its end was seen. Thinking blocks, redacted ones and blocks of unknown types are kept to the byte: the strings of
 * each delta are appended to the block's fields of the same names, which is right for every delta that the service has.
 */
import type { AssistantBlock } from "../../core/model/message.ts";
import type { ModelDelta } from "../../core/model/model.ts";
import { NO_USAGE, type Usage } from "../../core/model/usage.ts";
import { isObject, unreadableInput } from "../protocol/valid-content.ts";
import { AnswerSize, checkDepth, isSendable } from "../service/answer-size.ts";
import { partialCommandReader } from "../service/partial-command.ts";
import { type Assembled, CUT_OFF } from "../service/service-answer.ts";

/** Not all JSON is an event: a proxy may send `null`. */
export function isStreamEvent(value: unknown): value is StreamEvent {
	return isObject(value) && typeof value.type === "string";
}

/** An event of the stream, with the fields that are read here. Events of unknown types are passed over. */
export interface StreamEvent {
	readonly type: string;
	readonly index?: number;
	readonly message?: { readonly id?: string; readonly model?: string; readonly usage?: WireUsage };
	readonly content_block?: WireBlock;
	readonly delta?: Readonly<Record<string, unknown>>;
	readonly usage?: WireUsage;
}

type WireBlock = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface Assembly {
	/** Takes the next event, and returns the text of it that can be shown at once. Throws TooLarge. */
	take(event: StreamEvent): ModelDelta | undefined;
	/** Why the events so far make no answer. Later events are then ignored. */
	readonly fault: string | undefined;
	/** True when the end of the answer was seen. */
	readonly isEnded: boolean;
	/** What the service has reported so far; its numbers are totals, not additions. */
	usage(): Usage;
	/**
	 * As in outcomeOf. Of a stream that ended by itself, an answer with its stop reason and all blocks closed is whole: some gateways leave
	 * out `message_stop`.
	 */
	end(stream: { isClean: boolean }): Assembled;
}

interface Growing {
	block: Record<string, unknown>;
	json: string;
	isClosed: boolean;
	readCommand: (piece: string) => string;
}

export function assembleMessage(): Assembly {
	const blocks = new Map<number, Growing>();
	let usage = NO_USAGE;
	let model: string | undefined;
	let messageId: string | undefined;
	let stopReason: string | undefined;
	let stopWords: string | undefined;
	let hasBegun = false;
	let isEnded = false;
	let fault: string | undefined;
	const size = new AnswerSize();
	return {
		get fault() {
			return fault;
		},
		get isEnded() {
			return isEnded;
		},
		usage: () => usage,
		take: (event) => {
			fault ??= faultOf(event, { blocks, hasBegun });
			if (fault !== undefined || isEnded) return undefined;
			if (event.type === "message_stop") isEnded = true;
			if (event.type === "message_start") {
				hasBegun = true;
				model = stringOf(event.message?.model);
				messageId = stringOf(event.message?.id);
			}
			usage = withUsage(usage, event.message?.usage ?? event.usage ?? {});
			if (event.type === "message_delta" && typeof event.delta?.stop_reason === "string") {
				stopReason = event.delta.stop_reason;
				stopWords = wordsOf(event.delta.stop_details);
			}
			size.add({ ...event.content_block, ...event.delta }, event.type === "content_block_start");
			const delta = takeBlockEvent(blocks, event);
			return delta && { ...delta, block: event.index ?? 0 };
		},
		end: ({ isClean }) => {
			if (fault !== undefined) return { is: "broken", reason: fault };
			const isWhole = isEnded || (isClean && [...blocks.values()].every(({ isClosed }) => isClosed));
			if (!isWhole || stopReason === undefined) return CUT_OFF;
			const content = [...blocks.values()].flatMap(finished);
			checkDepth(content);
			return { is: "whole", content, stopReason, stopWords, model, messageId };
		},
	};
}

/** Why no answer has this event after those before it. Events of unknown types may come at any time. */
function faultOf(
	{ type, index = -1 }: StreamEvent,
	{ blocks, hasBegun }: { blocks: ReadonlyMap<number, Growing>; hasBegun: boolean },
): string | undefined {
	const isOutOfPlace = () => {
		switch (type) {
			case "message_start":
				return hasBegun;
			case "content_block_start":
				return !hasBegun || !Number.isInteger(index) || index < 0 || blocks.has(index);
			case "content_block_delta":
			case "content_block_stop":
				return blocks.get(index)?.isClosed !== false;
			case "message_delta":
			case "message_stop":
				return !hasBegun;
			default:
				return false;
		}
	};
	return isOutOfPlace() ? `the service's answer was out of order at a ${type}` : undefined;
}

/** The words of `{ type: "refusal", category: "cyber", explanation: "…" }`, in which category and explanation may be null. */
function wordsOf(details: unknown): string | undefined {
	if (!isObject(details)) return undefined;
	const { category, explanation } = details;
	return [category, explanation].filter((word) => typeof word === "string" && word !== "").join(": ") || undefined;
}

function takeBlockEvent(blocks: Map<number, Growing>, event: StreamEvent): ModelDelta | undefined {
	const index = event.index ?? 0;
	if (event.type === "content_block_start" && isObject(event.content_block) && stringOf(event.content_block.type)) {
		const block = withStrings(event.content_block);
		blocks.set(index, { block, json: "", isClosed: false, readCommand: partialCommandReader() });
		return shown("text", block.text) ?? shown("thinking", block.thinking);
	}
	const growing = blocks.get(index);
	if (growing === undefined) return undefined;
	if (event.type === "content_block_stop") growing.isClosed = true;
	if (event.type !== "content_block_delta" || !isObject(event.delta)) return undefined;
	return grow(growing, event.delta);
}

const STRINGS: Readonly<Record<string, readonly string[]>> = { text: ["text"], thinking: ["thinking", "signature"] };

/** The block with empty strings for fields that have to be strings and are not, or are not there. */
function withStrings(block: WireBlock): Record<string, unknown> {
	const keys = (Object.hasOwn(STRINGS, block.type) ? STRINGS[block.type] : undefined) ?? [];
	const empty = keys.filter((key) => typeof block[key] !== "string").map((key) => [key, ""]);
	return { ...block, ...Object.fromEntries(empty) };
}

function grow(growing: Growing, delta: Readonly<Record<string, unknown>>): ModelDelta | undefined {
	const { block } = growing;
	for (const [key, value] of Object.entries(delta)) {
		if (key === "type") continue;
		if (key === "partial_json" && typeof value === "string") growing.json += value;
		else if (key === "citation") block.citations = [...(Array.isArray(block.citations) ? block.citations : []), value];
		else if (typeof value === "string") block[key] = `${block[key] ?? ""}${value}`;
	}
	if (delta.type === "text_delta") return shown("text", delta.text);
	if (delta.type === "thinking_delta") return shown("thinking", delta.thinking);
	if (delta.type === "input_json_delta" && typeof delta.partial_json === "string")
		return shown("command", growing.readCommand(delta.partial_json));
	return undefined;
}

function shown(kind: ModelDelta["kind"], text: unknown): ModelDelta | undefined {
	return typeof text === "string" && text !== "" ? { kind, text } : undefined;
}

/** A block that was not closed is of use only when it is text: a thinking block has no signature yet. */
function finished({ block, json, isClosed }: Growing): AssistantBlock[] {
	if (block.type === "tool_use")
		return [{ ...block, input: inputOf(block.input, json, isClosed) } as unknown as AssistantBlock];
	return isClosed || block.type === "text" ? [block as unknown as AssistantBlock] : [];
}

/** The input of a call: its JSON came in pieces. When none came, the block began with the whole input. */
function inputOf(given: unknown, json: string, isClosed: boolean): unknown {
	if (json === "" && isClosed) return given;
	try {
		const input: unknown = JSON.parse(json);
		return isClosed && isObject(input) && isSendable(input) ? input : unreadableInput(json);
	} catch {
		return unreadableInput(json);
	}
}

function stringOf(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}

/** What a service reports of the tokens of an answer, as events of its stream have it. */
interface WireUsage {
	readonly input_tokens?: number | null;
	readonly output_tokens?: number | null;
	readonly cache_read_input_tokens?: number | null;
	readonly cache_creation_input_tokens?: number | null;
}

/** What was reported once was used: gateways send zeros at the end of an answer. */
function withUsage(usage: Usage, wire: WireUsage): Usage {
	return {
		input: Math.max(tokens(wire.input_tokens), usage.input),
		output: Math.max(tokens(wire.output_tokens), usage.output),
		cacheRead: Math.max(tokens(wire.cache_read_input_tokens), usage.cacheRead),
		cacheWrite: Math.max(tokens(wire.cache_creation_input_tokens), usage.cacheWrite),
	};
}

const MAX_TOKENS = 1e9; // no call has used more: such a number is no count, and the sum of a few would be infinite

function tokens(value: unknown): number {
	return typeof value === "number" && value >= 0 && value <= MAX_TOKENS ? value : 0;
}
