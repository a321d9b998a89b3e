/**
 * How many tokens a prompt may have, before the service has counted it: never the mean, always the high side. A token
 * of English or code is 3 to 4 bytes; digits, hexadecimal and scripts of few bytes a sign come near 2.
 */
import type { Message, ModelRequest } from "./model.ts";

const BYTES_PER_TOKEN = 2;
const BYTES_PER_TOKEN_OF_WORDS = 3; // instructions and tools are prose
const CALL_TOKENS = 600; // what the service adds for tools and roles: some hundreds, by the vendor's documentation

const utf8 = new TextEncoder();

/** `answered`: what the service counted for this agent's newest answer, the answer included. */
export function promptTokensAtMost(request: ModelRequest, answered: number | undefined): number {
	const { system, tools, messages } = request;
	const words = Math.ceil(bytesOf(JSON.stringify([system, tools])) / BYTES_PER_TOKEN_OF_WORDS);
	const whole = CALL_TOKENS + words + tokensAtMost(JSON.stringify(messages));
	return answered === undefined ? whole : Math.min(whole, answered + tokensAtMost(JSON.stringify(newIn(messages))));
}

export function tokensAtMost(text: string): number {
	return Math.ceil(bytesOf(text) / BYTES_PER_TOKEN);
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
	let chars = tokensAtMost(JSON.stringify(newest)) * BYTES_PER_TOKEN;
	let cut = newest;
	while (chars > 0 && tokensAtMost(JSON.stringify(cut)) > maxTokens) {
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
