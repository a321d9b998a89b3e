/** What a failed call to a Messages API means: its exit code, whether it may be made again, and one line of text. */
import { defined } from "../../core/defined.ts";
import type { ContextFull, ModelFailure } from "../../core/model.ts";

export interface ServiceError {
	/** Absent for an error that came in the middle of a stream, after the status 200. */
	readonly status?: number | undefined;
	/** `overloaded_error`, `authentication_error`, … */
	readonly type?: string | undefined;
	/** The service's own words. */
	readonly words?: string | undefined;
}

export interface FailureClass {
	/** 77: the key is refused. 1: asking again would not help. 75: the service is out of reach or too busy, or the cause is unknown. */
	readonly exitCode: 1 | 75 | 77;
	readonly mayRetry: boolean;
	/** The service has too many calls. */
	readonly isRateLimit: boolean;
	/** The key is refused or the credit is used up: no call of the run can be answered. */
	readonly stopsRun: boolean;
	/** Absent: the prompt is not longer than the model's context. */
	readonly contextFull?: ContextFull;
	/**
	 * Thinking blocks are bound to a model and a conversation: the service refuses them where it sees others, and may take
	 * the request without them.
	 */
	readonly refusesThinking: boolean;
}

const KEY_ERRORS = ["authentication_error", "permission_error"];
const FINAL_ERRORS = ["invalid_request_error", "billing_error", "not_found_error", "request_too_large"];
const RETRYABLE_STATUS = [408, 409, 429];
const RATE_ERRORS = ["rate_limit_error", "overloaded_error"];
/** Errors with the status and the type of any invalid request, which only their texts tell apart. */
const NO_CREDIT = /credit balance is too low|reached your specified (?:workspace )?API usage limits/i;
const CONTEXT_FULL =
	/prompt is too long|exceeds? (?:the )?(?:model's )?(?:maximum )?context|context (?:window|length|limit)/i;
const THINKING = /thinking|signature/i;

export function classOf(error: ServiceError): FailureClass {
	const { status, type = "", words = "" } = error;
	const exitCode = exitCodeOf(error);
	const isInvalid = status === 400 || (status === undefined && type === "invalid_request_error");
	const isNoCredit = status === 402 || type === "billing_error" || (isInvalid && NO_CREDIT.test(words));
	const isTooLarge = status === 413 || type === "request_too_large";
	const isContextFull = exitCode === 1 && !isNoCredit && (isTooLarge || (isInvalid && CONTEXT_FULL.test(words)));
	return {
		exitCode,
		mayRetry: exitCode === 75,
		isRateLimit: status === 429 || status === 529 || (exitCode === 75 && RATE_ERRORS.includes(type)),
		stopsRun: exitCode === 77 || (exitCode === 1 && isNoCredit),
		...(isContextFull && { contextFull: contextFullIn(words) }),
		refusesThinking: status === 400 && THINKING.test(words),
	};
}

/** `prompt is too long: 212000 tokens > 200000 maximum`, `input length … exceed context limit: 199759 + 20000 > 200000` */
function contextFullIn(words: string): ContextFull {
	const [, asked, most] = /(\d{4,})(?: \+ \d+)?(?: tokens)? > (\d{4,})/.exec(words) ?? [];
	return asked === undefined ? {} : { promptTokens: Number(asked), maxTokens: Number(most) };
}

/** What an agent is told of a failure, beside its class. */
export function failureDetails({
	stopsRun,
	contextFull,
	refusesThinking,
}: FailureClass): Pick<ModelFailure, "stopsRun" | "contextFull" | "refusesThinking"> {
	return defined({
		stopsRun: stopsRun || undefined,
		contextFull,
		refusesThinking: refusesThinking || undefined,
	});
}

function exitCodeOf({ status, type = "" }: ServiceError): FailureClass["exitCode"] {
	if (status === 401 || status === 403) return 77;
	if (status !== undefined) return status >= 500 || status < 400 || RETRYABLE_STATUS.includes(status) ? 75 : 1;
	if (KEY_ERRORS.includes(type)) return 77;
	return FINAL_ERRORS.includes(type) ? 1 : 75;
}

const MAX_LINE_LENGTH = 500;

/** The text without line breaks and control characters, and cut: a proxy answers with whole HTML pages. */
export function oneLine(text: string): string {
	const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
	return line.length > MAX_LINE_LENGTH ? `${[...line].slice(0, MAX_LINE_LENGTH).join("")} …` : line;
}
