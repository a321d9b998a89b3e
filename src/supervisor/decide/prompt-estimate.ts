/**
 * An upper estimate of the tokens in a prompt, before the service has counted them. A token of English or code is 3 to 4
 * bytes; of digits, hexadecimal, and scripts with few bytes a character nearly 2; a long run without white space is mostly
 * encoded bytes, with tokens of 1 to 2 bytes. Each count of the service corrects the next estimate.
 */
import { hash } from "node:crypto";
import { defined } from "../../core/defined.ts";
import type { Message } from "../../core/model/message.ts";
import type { ModelRequest } from "../../core/model/model.ts";

const BYTES_PER_TOKEN = 2;
const BYTES_PER_TOKEN_OF_WORDS = 3; // instructions and tools are prose
const DENSE_RUN = /\S{40,}/g; // base64, keys, data in one line: a token is at least a byte
const CALL_TOKENS = 600; // what the service adds for tools and roles: some hundreds, by the vendor's documentation
const LEAST_COMPARED_TOKENS = 300; // in a shorter text, what the service adds by itself is too great a part

const utf8 = new TextEncoder();

/** What the service has counted for an agent. */
export interface Counted {
	/** The context up to and including its newest answer; undefined when its history has been replaced since. */
	readonly tokens?: number;
	/** The highest ratio so far of counted to estimated tokens; 1 or more. */
	readonly ratio: number;
	/** The same, even where it is less than 1; undefined before the first answer. */
	readonly usualRatio?: number;
}

export const NOTHING_COUNTED: Counted = { ratio: 1 };

/** Of messages that the service has counted. */
export function digestOf(messages: readonly Message[]): string {
	return hash("sha1", JSON.stringify(messages), "base64");
}

/** Whether messages go on from those with that digest, which ended with the newest answer. */
export function goesOn(messages: readonly Message[], counted: string): boolean {
	return digestOf(messages.slice(0, messages.length - newestIn(messages).length)) === counted;
}

/** The most tokens that the request's prompt can have, going by what the service has counted for its agent. */
export function promptTokensAtMost({ system, tools, messages }: ModelRequest, { tokens, ratio }: Counted): number {
	const words = tokensAtMost(jsonText([system, tools]), BYTES_PER_TOKEN_OF_WORDS);
	const whole = Math.ceil((CALL_TOKENS + words + tokensAtMost(jsonText(messages))) * ratio);
	if (tokens === undefined) return whole;
	return Math.min(whole, tokens + Math.ceil(tokensAtMost(jsonText(newestIn(messages))) * ratio));
}

/**
 * The ratio after an answer: the highest so far, bounded so that no token is shorter than a byte. `counted`, `estimated`: the
 * tokens of the whole prompt, by the service and by us.
 */
export function ratioAfter(before: Counted, sizes: { counted: number; estimated: number }): number {
	return Math.max(before.ratio, measuredRatio(before, sizes) ?? 0);
}

/** The usual ratio after an answer. */
export function usualRatioAfter(
	before: Counted,
	sizes: { counted: number; estimated: number },
): Pick<Counted, "usualRatio"> {
	const measured = measuredRatio(before, sizes);
	if (measured === undefined) return defined({ usualRatio: before.usualRatio });
	return { usualRatio: Math.max(before.usualRatio ?? 0, measured) };
}

/** The ratio of one answer; undefined for a text that is too short to tell. */
function measuredRatio(
	{ tokens: known = 0, ratio }: Counted,
	{ counted, estimated }: { counted: number; estimated: number },
): number | undefined {
	if (estimated - known < LEAST_COMPARED_TOKENS) return undefined;
	return Math.min(BYTES_PER_TOKEN, (ratio * (counted - known)) / (estimated - known));
}

/** The tokens of the prompt if what is new in it is as dense as it was before; undefined when nothing is known of that. */
export function usualPromptTokens(promptTokens: number, { tokens, ratio, usualRatio }: Counted): number | undefined {
	if (tokens === undefined || usualRatio === undefined) return undefined;
	return tokens + Math.ceil((Math.max(0, promptTokens - tokens) * usualRatio) / ratio);
}

/** The most tokens that the text can have. */
export function tokensAtMost(text: string, bytesPerToken = BYTES_PER_TOKEN): number {
	const dense = (text.match(DENSE_RUN) ?? []).reduce((sum, run) => sum + bytesOf(run), 0);
	return Math.ceil(dense + (bytesOf(text) - dense) / bytesPerToken);
}

/** The value as JSON, with escaped white space as plain spaces of the same length, so that it ends a dense run. */
function jsonText(value: unknown): string {
	return JSON.stringify(value).replace(/\\./g, (sign) => (/[nrt]/.test(sign) ? "  " : sign));
}

function bytesOf(text: string): number {
	return utf8.encode(text).length;
}

/**
 * The request with the results of its newest tool calls cut, each to the same length, until they are estimated to have at
 * most `maxTokens`. All messages that were sent before stay byte-equal.
 */
export function withShorterResults(request: ModelRequest, maxTokens: number): ModelRequest {
	const { messages } = request;
	const newest = newestIn(messages);
	let chars = JSON.stringify(newest).length;
	let cut = newest;
	while (chars > 0 && tokensAtMost(jsonText(cut)) > maxTokens) {
		chars = Math.floor(chars / 2);
		cut = newest.map((message) => withResultsOf(message, chars));
	}
	return { ...request, messages: [...messages.slice(0, messages.length - newest.length), ...cut] };
}

/** The messages after the newest answer. */
function newestIn(messages: readonly Message[]): Message[] {
	return messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
}

function withResultsOf(message: Message, chars: number): Message {
	if (message.role === "assistant") return message;
	const content = message.content.map((block) =>
		block.type === "tool_result" && block.content.length > chars
			? { ...block, content: `${block.content.slice(0, chars).toWellFormed()}\n[cut: the budget has no room for more]` }
			: block,
	);
	return { role: "user", content };
}
