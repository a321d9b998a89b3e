import { expect, test } from "vitest";
import { readRetryPolicy } from "../../../../src/project/config/read-limits.ts";

test("without a variable, or with an empty one: 90 s of silence, 10 min of tries, a first wait of 1 s", () => {
	expect(readRetryPolicy({ AGENTREE_RETRY_TIME: "" })).toEqual({
		maxSilenceMs: 90_000,
		retryTimeMs: 600_000,
		retryWaitMs: 1_000,
	});
});

test("each is a time, and no tries at all may be asked for", () => {
	const env = { AGENTREE_MAX_SILENCE: "5m", AGENTREE_RETRY_TIME: "0s", AGENTREE_RETRY_WAIT: "20ms" };
	expect(readRetryPolicy(env)).toEqual({ maxSilenceMs: 300_000, retryTimeMs: 0, retryWaitMs: 20 });
});

test.each([
	["AGENTREE_MAX_SILENCE", "0s"],
	["AGENTREE_RETRY_TIME", "10"],
	["AGENTREE_RETRY_WAIT", "25h"],
])("%s=%s is a usage error that names it", (name, value) => {
	expect(() => readRetryPolicy({ [name]: value })).toThrow(expect.objectContaining({ code: "usage" }));
	expect(() => readRetryPolicy({ [name]: value })).toThrow(`${name} must be`);
});
