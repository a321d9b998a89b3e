/** How a failed call is told: which exit code its class has, and one line of text. */
import type { ModelFailure } from "../core/model.ts";

export interface ServiceError {
	/** Absent when it came in the middle of a stream, after the 200. */
	readonly status?: number | undefined;
	/** `overloaded_error`, `authentication_error`, … */
	readonly type?: string | undefined;
}

const KEY_ERRORS = ["authentication_error", "permission_error"];
const FINAL_ERRORS = ["invalid_request_error", "billing_error", "not_found_error", "request_too_large"];
const RETRYABLE_STATUS = [408, 409, 429];

/** 77: the key. 1: asking again would not help. 75: the service is out of reach or too busy, also for unknown causes. */
export function exitCodeOf({ status, type = "" }: ServiceError): ModelFailure["exitCode"] {
	if (status === 401 || status === 403) return 77;
	if (status !== undefined) return status >= 500 || status < 400 || RETRYABLE_STATUS.includes(status) ? 75 : 1;
	if (KEY_ERRORS.includes(type)) return 77;
	return FINAL_ERRORS.includes(type) ? 1 : 75;
}

const MAX_LINE_LENGTH = 500;

/** Without line breaks and control characters, and not endless: a proxy answers with whole HTML pages. */
export function oneLine(text: string): string {
	const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
	return line.length > MAX_LINE_LENGTH ? `${[...line].slice(0, MAX_LINE_LENGTH).join("")} …` : line;
}
