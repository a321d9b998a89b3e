import { expect, test } from "vitest";
import { describeActivity, formatCpu } from "../../../../src/view/agents/activity.ts";

test("a command is silent for so long, and has computed so much, as far as that is known", () => {
	expect(describeActivity({ silentSince: 1_000, cpuMs: 40 }, 111_000)).toBe("no output for 1m50s, 0.0 s CPU time");
	expect(describeActivity({ silentSince: undefined, cpuMs: 40 }, 111_000)).toBe("0.0 s CPU time");
	expect(describeActivity({ silentSince: 1_000, cpuMs: undefined }, 900)).toBe("no output for 0ms");
	expect(describeActivity({ silentSince: undefined, cpuMs: undefined }, 900)).toBe("");
});

test.each([
	[0, "0.0 s"],
	[149, "0.1 s"],
	[12_399, "12.3 s"],
	[59_999, "59.9 s"],
	[125_000, "2m05s"],
])("%d ms of computing are %s", (ms, text) => expect(formatCpu(ms)).toBe(text));
