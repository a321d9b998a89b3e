import { expect, test } from "vitest";
import { rateLimitsIn, retryAfterMs } from "../../../../src/models/service/rate-limit-headers.ts";

const NOW = Date.parse("2026-11-28T10:00:00Z");

test.each<[string, Record<string, string>, number | undefined]>([
	["seconds", { "retry-after": "12" }, 12_000],
	["parts of a second", { "retry-after": "0.25" }, 250],
	["a date", { "retry-after": "Sat, 28 Nov 2026 10:00:30 GMT" }, 30_000],
	["a date that is over", { "retry-after": "Sat, 28 Nov 2026 09:59:00 GMT" }, 0],
	[
		"a date of a service whose clock is another",
		{ "retry-after": "Sat, 28 Nov 2026 12:00:30 GMT", date: "Sat, 28 Nov 2026 12:00:00 GMT" },
		30_000,
	],
	["milliseconds, which are more exact", { "retry-after-ms": "1500", "retry-after": "2" }, 1500],
	["seconds beyond all numbers", { "retry-after": "9".repeat(400) }, 1e12],
	["what nobody can read", { "retry-after": "soon" }, undefined],
	["a negative number", { "retry-after": "-5" }, undefined],
	["nothing", {}, undefined],
	[
		"only a limit that is used up",
		{
			"anthropic-ratelimit-requests-remaining": "0",
			"anthropic-ratelimit-requests-reset": "2026-11-28T10:00:07Z",
			"anthropic-ratelimit-tokens-remaining": "500",
			"anthropic-ratelimit-tokens-reset": "2026-11-28T10:00:50Z",
		},
		7_000,
	],
	// Each seen to fail: it counted as not sent.
	["seconds until a reset", { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1.5" }, 1_500],
	["a reset of no kind", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "4" }, 4_000],
	["a reset as a date", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2026-11-28T10:00:09Z" }, 9_000],
	["seconds of a clock", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW / 1000 + 3) }, 3_000],
	["milliseconds of a clock", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW + 2_500) }, 2_500],
	["a clock beyond all times", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9".repeat(40) }, 8.64e15 - NOW],
])("how long to wait, from %s", (_, headers, expected) => {
	expect(retryAfterMs(new Headers(headers), NOW)).toBe(expected);
});

test("each limit counts only with what is left and when it is whole again", () => {
	const headers = new Headers({
		"anthropic-ratelimit-requests-limit": "50",
		"anthropic-ratelimit-requests-remaining": "3",
		"anthropic-ratelimit-requests-reset": "2026-11-28T10:00:07Z",
		"anthropic-ratelimit-input-tokens-remaining": "1000",
		"anthropic-ratelimit-output-tokens-remaining": "0",
		"anthropic-ratelimit-output-tokens-reset": "2026-11-28T10:01:00.500Z",
	});
	expect(rateLimitsIn(headers, NOW)).toEqual([
		{ what: "requests", remaining: 3, resetMs: 7_000 },
		{ what: "output", remaining: 0, resetMs: 60_500 },
	]);
});
