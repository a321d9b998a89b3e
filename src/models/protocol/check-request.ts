/**
 * The service's own rules about the messages of a request, in its own words. A scripted model refuses what the service
 * would refuse, so that a broken history is found without a key; the API server of the tests checks by the same rules.
 */
import { type AssistantBlock, callIdsIn, type Message, type UserBlock } from "../../core/model/message.ts";
import type { ModelRequest } from "../../core/model/model.ts";

const LONE_SURROGATE = /\p{Surrogate}/u; // with the flag `u` a pair counts as the one character that it is

/** What the service would say against these messages; undefined when they are in order. */
export function checkRequest(request: Pick<ModelRequest, "messages">): string | undefined {
	const { messages } = request;
	if (messages.length === 0) return "messages: at least one message is required";
	if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
	for (const [at, message] of messages.entries()) {
		const broken = checkRole(messages, at) ?? checkBlocks(message, at) ?? checkResults(messages, at);
		if (broken !== undefined) return broken;
	}
	return checkUnique(messages) ?? checkEnd(messages) ?? checkText(messages);
}

function checkRole(messages: readonly Message[], at: number): string | undefined {
	const role = messages[at]?.role;
	if (at === 0 || role !== messages[at - 1]?.role) return undefined;
	return `messages.${at}: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`;
}

function checkBlocks(message: Message, at: number): string | undefined {
	if (message.content.length === 0) return `messages.${at}: all messages must have non-empty content`;
	for (const [n, block] of message.content.entries()) {
		const where = `messages.${at}.content.${n}`;
		if (block.type === "text" && block.text === "") return `${where}: text content blocks must be non-empty`;
		if (block.type === "text" && block.text.trim() === "")
			return `${where}: text content blocks must contain non-whitespace text`;
		if (block.type === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(block.id))
			return `${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
		if (block.type === "tool_use" && !/^[a-zA-Z0-9_-]{1,128}$/.test(block.name))
			return `${where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
		if (
			block.type === "tool_use" &&
			(typeof block.input !== "object" || block.input === null || Array.isArray(block.input))
		)
			return `${where}.tool_use.input: Input should be a valid dictionary`;
		if (message.role === "assistant" && (block as UserBlock).type === "tool_result")
			return `${where}: \`tool_result\` blocks can only be in \`user\` messages`;
		if (message.role === "user" && (block as AssistantBlock).type === "tool_use")
			return `${where}: \`tool_use\` blocks can only be in \`assistant\` messages`;
	}
	const last = message.content.at(-1)?.type;
	if (last === "thinking" || last === "redacted_thinking")
		return `messages.${at}: The final block in an assistant message cannot be \`thinking\``;
	return undefined;
}

/** The results of a message answer all calls of the message before, each once, ahead of any text. */
function checkResults(messages: readonly Message[], at: number): string | undefined {
	const blocks = messages[at]?.content ?? [];
	const called = callIds(messages[at - 1]);
	const answered = new Set<string>();
	let isPastResults = false;
	for (const [n, block] of blocks.entries()) {
		if (block.type !== "tool_result") {
			isPastResults = true;
			continue;
		}
		const id = block.tool_use_id;
		const where = `messages.${at}.content.${n}`;
		if (!called.includes(id))
			return `${where}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
		if (answered.has(id))
			return `${where}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
		if (isPastResults) return `${where}: \`tool_result\` blocks must come first in the content of the message`;
		answered.add(id);
	}
	const unanswered = called.filter((id) => !answered.has(id));
	if (unanswered.length === 0) return undefined;
	return unansweredText(at - 1, unanswered);
}

function unansweredText(at: number, ids: readonly string[]): string {
	return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function checkUnique(messages: readonly Message[]): string | undefined {
	const ids = messages.flatMap(callIds);
	const twice = ids.find((id, n) => ids.indexOf(id) !== n);
	return twice === undefined ? undefined : `messages: \`tool_use\` ids must be unique, found twice: ${twice}`;
}

/** Messages that end with an answer ask the model to go on writing it; newer models refuse that. */
function checkEnd(messages: readonly Message[]): string | undefined {
	const last = messages.at(-1);
	if (last?.role !== "assistant") return undefined;
	const open = callIds(last);
	if (open.length > 0) return unansweredText(messages.length - 1, open);
	return "This model does not support assistant message prefill. The conversation must end with a user message.";
}

function checkText(messages: readonly Message[]): string | undefined {
	for (const [at, message] of messages.entries())
		for (const block of message.content)
			if (stringsIn(block).some((text) => LONE_SURROGATE.test(text)))
				return `The request body is not valid JSON: lone surrogate in a string of messages.${at}`;
	return undefined;
}

function callIds(message: Message | undefined): string[] {
	return message?.role === "assistant" ? callIdsIn(message.content) : [];
}

function stringsIn(value: unknown): string[] {
	if (typeof value === "string") return [value];
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)]);
}
