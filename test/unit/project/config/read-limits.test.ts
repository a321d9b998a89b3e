import { expect, test } from "vitest";
import { DEFAULT_BOUNDS } from "../../../../src/core/limits/shortage.ts";
import { parseDuration, readBounds, readRetryPolicy } from "../../../../src/project/config/read-limits.ts";

const TIMES = { "500ms": 500, "90s": 90_000, "30m": 1_800_000, "2h": 7_200_000, "1d": 86_400_000, "1h30m": 5_400_000 };
const ODD_TIMES = { "1.5h": 5_400_000, "0.001s": 1, "5m5ms": 300_005, "0s": 0 };

test.each(Object.entries({ ...TIMES, ...ODD_TIMES }))("%s is %i ms", (text, ms) =>
	expect(parseDuration(text)).toBe(ms),
);

test.each(["", "90", "s", "-5s", "5 s", "5S", "1e3s", "1h 30m", "h1", "1.s", ".5s", "5s\n", "∞", "5min", "1,5h"])(
	"%j is no duration",
	(text) => {
		expect(parseDuration(text)).toBeUndefined();
	},
);

test("without a variable, or with an empty one, the defaults hold: 2 GiB of output, 1 GiB of disk, 10 % of memory", () => {
	expect(readBounds({ AGENTREE_MAX_OUTPUT: "" })).toEqual(DEFAULT_BOUNDS);
	expect(DEFAULT_BOUNDS).toEqual({
		maxOutputBytes: 2147483648,
		keepFreeDiskBytes: 1073741824,
		keepFreeMemoryPercent: 10,
	});
});

test("a size may be written with a unit", () => {
	const sizes = { "4096": 4096, "500M": 524288000, "2g": 2147483648, "1GiB": 1073741824, "0": 0 };
	for (const [text, maxOutputBytes] of Object.entries(sizes))
		expect(readBounds({ AGENTREE_MAX_OUTPUT: text })).toMatchObject({ maxOutputBytes });
});

test.each([
	...["AGENTREE_MAX_OUTPUT=much", "AGENTREE_KEEP_FREE_DISK=-1G", "AGENTREE_KEEP_FREE_MEMORY=101%"],
	...["AGENTREE_MAX_SILENCE=0s", "AGENTREE_RETRY_TIME=10", "AGENTREE_RETRY_WAIT=25h"],
])("%s is a usage error that names it", (setting) => {
	const [name = "", value] = setting.split("=");
	const read = () => [readBounds({ [name]: value }), readRetryPolicy({ [name]: value })];
	expect(read).toThrow(expect.objectContaining({ code: "usage", message: expect.stringContaining(`${name} must be`) }));
});

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
