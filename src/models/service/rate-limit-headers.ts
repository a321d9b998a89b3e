/**
 * What the headers of an answer say about when to call again: `retry-after` (seconds or a date), `retry-after-ms`, and
 * `anthropic-ratelimit-{requests,tokens,input-tokens,output-tokens}-{remaining,reset}`, a reset being a time as RFC 3339
 * has it, or `x-ratelimit-{remaining,reset}-{requests,tokens}` and the same without an end, a reset being a duration (`6m0s`, `17ms`),
 * seconds, or a time as a date or as seconds or milliseconds since the epoch. What cannot be read counts as not sent.
 */
import type { RateLimit } from "../../core/model/model.ts";

export interface HeaderValues {
	get(name: string): string | null;
}

const LIMITS: readonly [RateLimit["what"], string][] = [
	["requests", "requests"],
	["tokens", "tokens"],
	["input", "input-tokens"],
	["output", "output-tokens"],
];

/** Milliseconds to wait. Without a `retry-after`: until the last of the limits that are used up is full again. */
export function retryAfterMs(headers: HeaderValues, now: number): number | undefined {
	const ms = notNegative(headers.get("retry-after-ms"));
	if (ms !== undefined) return ms;
	const text = headers.get("retry-after");
	const seconds = notNegative(text);
	if (seconds !== undefined) return Math.min(seconds * 1000, MAX_NUMBER);
	const until = timeUntil(text, headers, now);
	if (until !== undefined) return until;
	const spent = rateLimitsIn(headers, now).filter(({ remaining }) => remaining <= 0);
	return spent.length === 0 ? undefined : Math.max(...spent.map(({ resetMs }) => resetMs));
}

export function rateLimitsIn(headers: HeaderValues, now: number): RateLimit[] {
	return LIMITS.flatMap(([what, name]) => {
		const [left, reset] = ["remaining", "reset"].map((what) => headers.get(`anthropic-ratelimit-${name}-${what}`));
		const [otherLeft, otherReset] = ["remaining", "reset"].map(
			(what) =>
				headers.get(`x-ratelimit-${what}-${name}`) ?? (name === "requests" ? headers.get(`x-ratelimit-${what}`) : null),
		);
		const remaining = notNegative(left ?? otherLeft ?? null);
		const resetMs = timeUntil(reset ?? null, headers, now) ?? resetOf(otherReset ?? null, headers, now);
		return remaining === undefined || resetMs === undefined ? [] : [{ what, remaining, resetMs }];
	});
}

const MAX_NUMBER = 1e12; // 30 years in milliseconds: whatever is above stays a number that can be written and compared

function notNegative(text: string | null): number | undefined {
	return text !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Math.min(Number(text), MAX_NUMBER) : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `1h2m3.5s`. */
function durationMs(text: string | null): number | undefined {
	if (text === null || !/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return undefined;
	const parts = [...text.matchAll(/([\d.]+)(ms|[smhd])/g)];
	const ms = parts.reduce((sum, [, number, unit = ""]) => sum + Number(number) * (UNITS[unit] ?? 0), 0);
	return Math.min(ms, MAX_NUMBER);
}

const EPOCH_SECONDS = 1e9; // as many seconds are 30 years: a number from there on is a time
const EPOCH_MS = 1e11;
const LATEST_MS = 8.64e15; // beyond, a Date is invalid

/** Milliseconds until a reset in one of the ways in which services write it. */
function resetOf(text: string | null, headers: HeaderValues, now: number): number | undefined {
	const number = text !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
	if (number === undefined) return durationMs(text) ?? timeUntil(text, headers, now);
	if (number < EPOCH_SECONDS) return number * 1000;
	const at = new Date(number < EPOCH_MS ? number * 1000 : Math.min(number, LATEST_MS));
	return timeUntil(at.toISOString(), headers, now);
}

const MAX_SKEW_MS = 5_000; // the header `date` has whole seconds only, so our clock is the better one while it is about right

function timeUntil(text: string | null, headers: HeaderValues, now: number): number | undefined {
	const isDate = text !== null && /[a-z]{3}|\dT\d/i.test(text); // Date.parse would take a bare number for a year
	const at = isDate ? Date.parse(text) : Number.NaN;
	if (Number.isNaN(at)) return undefined;
	const theirs = Date.parse(headers.get("date") ?? "");
	const isSkewed = !Number.isNaN(theirs) && Math.abs(theirs - now) > MAX_SKEW_MS;
	return Math.max(0, at - (isSkewed ? theirs : now));
}
