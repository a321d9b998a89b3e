/** What a failed call to a service means: its exit code, whether it may be made again, and one line of text. */
import { defined } from "../../core/defined.ts";
import type { ContextFull, ModelFailure } from "../../core/model/model.ts";
import { foldedMiddle } from "../../core/preview.ts";
import { redact } from "../../text/safe/redact.ts";

export interface ServiceError {
	/** Absent for an error that came in the middle of a stream, after the status 200. */
	readonly status?: number | undefined;
	/** `overloaded_error`, `authentication_error`, … */
	readonly type?: string | undefined;
	/** A second word, which some services have beside the type: `insufficient_quota`, `model_not_found`, … */
	readonly code?: string | undefined;
	/** The service's own words. */
	readonly words?: string | undefined;
}

export interface FailureClass {
	/** 77: the key is refused. 1: asking again would not help. 75: the service is out of reach or too busy, or the cause is unknown. */
	readonly exitCode: 1 | 75 | 77;
	readonly mayRetry: boolean;
	/** The service has too many calls. */
	readonly isRateLimit: boolean;
	/** The key is refused or the credit is used up: no call of the run can be answered. As in ModelFailure. */
	readonly stopsRun: boolean | "unless_answered";
	/** Absent: the prompt is not longer than the model's context. */
	readonly contextFull?: ContextFull;
	/** An invalid request whose words are none of the known ones: with a prompt near the window, it is likely to be too long. */
	readonly mayBeFull: boolean;
	/**
	 * Thinking blocks are bound to a model and a conversation: the service refuses them where it sees others, and may take
	 * the request without them.
	 */
	readonly refusesThinking: boolean;
}

const KEY_ERRORS = ["authentication_error", "permission_error", "invalid_api_key"];
const CREDIT_ERRORS = ["billing_error", "insufficient_quota", "billing_hard_limit_reached", "insufficient_balance"];
const FINAL_ERRORS = [
	...["invalid_request_error", "billing_error", "not_found_error", "request_too_large"],
	...["model_not_found", "context_length_exceeded", "content_filter", "content_policy_violation"],
];
const RETRYABLE_STATUS = [408, 409, 429];
const RATE_ERRORS = ["rate_limit_error", "overloaded_error", "rate_limit_exceeded", "server_overloaded"];
const NOT_ABOUT_REQUEST = [...RATE_ERRORS, ...KEY_ERRORS];
/** With these a service or a gateway speaks of the request; some pass an error of their upstream on as their own. */
const REQUEST_STATUS = [400, 413, 422, 500, 502, 503];
/** Errors with the status and the type of any invalid request, which only their texts tell apart. */
const NO_CREDIT = /credit balance is too low|reached your specified (?:workspace )?API usage limits/i;
const NO_KEY = /\bAPI key (?:is )?(?:not valid|invalid|expired)\b/i;
/** Refusals of thinking as it is. An item `rs_…` of thinking was kept for another session, or by nobody. */
const THINKING = /thinking|signature|\brs_\w+|encrypted[ _]content/i;
/** Refusals for thinking that is not there, which less of it would not help. */
const WANTS_THINKING =
	/passed back|missing\b.{0,40}\b(?:reasoning_content|thought_signature)|(?:reasoning_content|thought_signature)\b.{0,40}\bmissing/is;

/** The template that makes a prompt of the messages has refused them: with the same messages it will again. */
const TEMPLATE =
	/\bjinja\b|\bchat[ _]template\b|TemplateError|\broles must alternate|\bcall ids should be\b|unexpected role|system (?:role|messages?) (?:is |are )?not supported|\bassistant\b.{0,20} roles are supported/i;

export function saysTemplateRefuses(words: string): boolean {
	return TEMPLATE.test(words);
}

export function classOf(error: ServiceError): FailureClass {
	const { status, words = "" } = error;
	const isInvalid = status === 400 || (status === undefined && isOf(error, ["invalid_request_error"]));
	const isNoCredit = status === 402 || isOf(error, CREDIT_ERRORS) || (isInvalid && NO_CREDIT.test(words));
	const isAboutRequest = status === undefined ? !isOf(error, NOT_ABOUT_REQUEST) : REQUEST_STATUS.includes(status);
	const isTemplate = saysTemplateRefuses(words);
	const isFull =
		!isNoCredit && !isTemplate && (status === 413 || (isAboutRequest && wordsIn(error).some(saysContextFull)));
	const isKeyRefused = isInvalid && NO_KEY.test(words);
	const exitCode = isFull || isNoCredit || isTemplate ? 1 : isKeyRefused ? 77 : exitCodeOf(error);
	const refusesThinking = (status === 400 || status === 404) && THINKING.test(words) && !WANTS_THINKING.test(words);
	return {
		exitCode,
		mayRetry: exitCode === 75,
		isRateLimit: (status === 429 && !isNoCredit) || status === 529 || (exitCode === 75 && isOf(error, RATE_ERRORS)),
		stopsRun: isForbidden(error) ? "unless_answered" : exitCode === 77 || (exitCode === 1 && isNoCredit),
		...(isFull && { contextFull: contextFullIn(words) }),
		mayBeFull: isInvalid && !isTemplate && !isFull && !isNoCredit && !isKeyRefused && !refusesThinking,
		refusesThinking,
	};
}

/** The key is known, and may not do this: use this model, or call from here. */
function isForbidden(error: ServiceError): boolean {
	return error.status === 403 || (error.status === undefined && isOf(error, ["permission_error"]));
}

function isOf({ type, code }: ServiceError, known: readonly string[]): boolean {
	return [type, code].some((word) => word !== undefined && known.includes(word));
}

function wordsIn({ type, code, words }: ServiceError): { type?: string; words?: string }[] {
	return [type, code].map((word) => defined({ type: word, words }));
}

/** What an agent is told of a failure, beside its class. */
export function failureDetails({
	stopsRun,
	contextFull,
	mayBeFull,
	refusesThinking,
}: FailureClass): Pick<ModelFailure, "stopsRun" | "contextFull" | "mayBeFull" | "refusesThinking"> {
	return defined({
		stopsRun: stopsRun || undefined,
		contextFull,
		mayBeFull: mayBeFull || undefined,
		refusesThinking: refusesThinking || undefined,
	});
}

function exitCodeOf(error: ServiceError): FailureClass["exitCode"] {
	const { status } = error;
	if (status === 401 || status === 403) return 77;
	if (status !== undefined) return status >= 500 || status < 400 || RETRYABLE_STATUS.includes(status) ? 75 : 1;
	if (isOf(error, KEY_ERRORS)) return 77;
	return isOf(error, FINAL_ERRORS) ? 1 : 75;
}

/** As much as is read of the words of a service. */
const MAX_LINE_LENGTH = 64 * 1024;
/** White space, control characters, and the marks that reverse the direction of text. */
const UNPRINTED = /[\s\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Words of a service without line breaks and control characters. A key in them is found before these, and what is too much, are gone. */
export function oneLine(text: string): string {
	return foldedMiddle(redact(text).replace(UNPRINTED, " ").trim(), MAX_LINE_LENGTH);
}

/** How services and gateways say that a prompt is longer than the model's context. */

/** Types and codes of errors that mean nothing else. */
const TYPES =
	/^(context_length_exceeded|context_window_exceeded|ContextWindowExceededError|exceed_context_size_error|model_max_prompt_tokens_exceeded|request_too_large)$/;

/** Each row: whose words they are, and what all of them have in common. */
const WORDS: readonly RegExp[] = [
	/(?:prompt|input|request|conversation|messages?)\b[^.]{0,40}\b(?:is|are) too (?:long|large)\b(?! to)/i, // Anthropic, Bedrock: "Input is too long for requested model"
	/exceeds? (?:the )?(?:model'?s? )?(?:maximum )?(?:allowed )?(?:available )?context/i, // Anthropic; llama.cpp: "the available context size"
	/context[ _-]?(?:window|length|limit|size)/i, // Anthropic, OpenAI, OpenRouter, vLLM, LiteLLM: "maximum context length is"
	/input token count\b.{0,40}\bexceeds? the maximum/i, // Vertex
	/(?:maximum|max) (?:prompt|input) (?:length|tokens?|size)|too many (?:input |prompt )?tokens(?! per)/i, // xAI, Cohere, Bedrock
	/prompt (?:token count|contains)\b.{0,60}\b(?:exceeds|too large)|exceeded model token limit/i, // Copilot, Mistral, Moonshot
	/reduce the length of (?:the|your) (?:messages|prompt|input)|expected maxLength: \d+, actual/i, // OpenAI, Groq; Bedrock
	/tokens? \+ `?max_(?:new_)?tokens`? must be|`?inputs?`? must have less than \d+ tokens/i, // Together; TGI
	/\bnum_ctx\b|context shift|(?:longer|larger) than the (?:model'?s? )?context|\bcontext (?:is )?full\b|\bKV (?:cache )?(?:slot|is full)|space in the KV cache/i, // Ollama, llama.cpp
	/(?:prompt|input) exceeds max length|range of input length should be|maximum supported sequence length/i, // Zhipu; Qwen; SambaNova
];

/** What an error about the length of the answer says, and nothing about the prompt. */
const OF_ANSWER = /maximum allowed number of output tokens/i;

export function saysContextFull({ type = "", words = "" }: { type?: string; words?: string }): boolean {
	return TYPES.test(type) || (!OF_ANSWER.test(words) && WORDS.some((pattern) => pattern.test(words)));
}

/** `prompt is too long: 212000 tokens > 200000 maximum`, `input length … exceed context limit: 199759 + 20000 > 200000` */
const COMPARED = /(\d{4,})(?: \+ \d+)?(?: tokens)? > (\d{4,})/;
/** `maximum context length is 128000 tokens. However, … resulted in 130500 tokens`: the limit first */
const LIMIT_FIRST = /(?:maximum|limit|up to)\D{0,40}(\d{4,})\D{1,80}?(\d{4,})/i;
/** `The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)` */
const ASKED_FIRST = /(\d{4,})\D{1,60}(?:exceeds?|too large|larger)\D{1,60}?(\d{4,})/i;

/** The sizes that the words name; empty when they name none. */
export function contextFullIn(words: string): ContextFull {
	const [, asked, most] = COMPARED.exec(words) ?? ASKED_FIRST.exec(words) ?? [];
	const [, limit, given] = asked === undefined ? (LIMIT_FIRST.exec(words) ?? []) : [];
	const promptTokens = Number(asked ?? given);
	const maxTokens = Number(most ?? limit);
	return promptTokens > maxTokens || COMPARED.test(words) ? { promptTokens, maxTokens } : {};
}
