/**
 * How many tokens a prompt may have, before the service has counted it: never the mean, always the high side. A token
 * of English or code is 3 to 4 bytes; digits, hexadecimal and scripts of few bytes a sign come near 2; what has no white
 * space for long is mostly encoded bytes, whose tokens are of 1 to 2 bytes. What the service then counted mends it.
 */
import type { Message, ModelRequest } from "../../core/model.ts";

const BYTES_PER_TOKEN = 2;
const BYTES_PER_TOKEN_OF_WORDS = 3; // instructions and tools are prose
const DENSE_RUN = /\S{40,}/g; // base64, keys, data in one line: a token is at least a byte
const CALL_TOKENS = 600; // what the service adds for tools and roles: some hundreds, by the vendor's documentation

const LEAST_TELLING_TOKENS = 300; // of less, what the service adds by itself is too great a part

const utf8 = new TextEncoder();

/** What the service has counted for an agent. */
export interface Counted {
	/** For its newest answer, the answer included; undefined when its history is not the same any more. */
	readonly tokens?: number;
	/** The most, for a token of ours; 1 or more. */
	readonly ratio: number;
}

export const NOTHING_COUNTED: Counted = { ratio: 1 };

export function promptTokensAtMost({ system, tools, messages }: ModelRequest, { tokens, ratio }: Counted): number {
	const words = tokensAtMost(jsonText([system, tools]), BYTES_PER_TOKEN_OF_WORDS);
	const whole = Math.ceil((CALL_TOKENS + words + tokensAtMost(jsonText(messages))) * ratio);
	if (tokens === undefined) return whole;
	return Math.min(whole, tokens + Math.ceil(tokensAtMost(jsonText(newIn(messages))) * ratio));
}

/** The ratio after an answer: the worst so far, but no more than makes a token of each byte. `counted`, `estimated`: its prompt. */
export function ratioAfter(before: Counted, { counted, estimated }: { counted: number; estimated: number }): number {
	const known = before.tokens ?? 0;
	const isTold = estimated - known >= LEAST_TELLING_TOKENS;
	if (!isTold) return before.ratio;
	return Math.min(BYTES_PER_TOKEN, before.ratio * Math.max(1, (counted - known) / (estimated - known)));
}

export function tokensAtMost(text: string, bytesPerToken = BYTES_PER_TOKEN): number {
	const dense = (text.match(DENSE_RUN) ?? []).reduce((sum, run) => sum + bytesOf(run), 0);
	return Math.ceil(dense + (bytesOf(text) - dense) / bytesPerToken);
}

/** As long as the JSON, with the white space in its strings as such. */
function jsonText(value: unknown): string {
	return JSON.stringify(value).replace(/\\./g, (sign) => (/[nrt]/.test(sign) ? "  " : sign));
}

function bytesOf(text: string): number {
	return utf8.encode(text).length;
}

/**
 * The request with the results of its newest calls cut, each to the same length, until they have no more than
 * `maxTokens` by the same estimate. All that was sent before stays byte-equal.
 */
export function withShorterResults(request: ModelRequest, maxTokens: number): ModelRequest {
	const { messages } = request;
	const newest = newIn(messages);
	let chars = JSON.stringify(newest).length;
	let cut = newest;
	while (chars > 0 && tokensAtMost(jsonText(cut)) > maxTokens) {
		chars = Math.floor(chars / 2);
		cut = newest.map((message) => withResultsOf(message, chars));
	}
	return { ...request, messages: [...messages.slice(0, messages.length - newest.length), ...cut] };
}

/** What has come since the newest answer. */
function newIn(messages: readonly Message[]): Message[] {
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
