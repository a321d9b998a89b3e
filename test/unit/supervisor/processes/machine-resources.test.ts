import { expect, test } from "vitest";
import { groupMemoryShare, parseMemoryInfo } from "../../../../src/supervisor/processes/machine-resources.ts";

test("free memory is what the kernel calls available, caches counted as free", () => {
	const text = "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    250 kB\nBuffers: 1 kB\n";
	expect(parseMemoryInfo(text)).toBe(0.25);
});

test("where the kernel does not tell, there is no share, and so no shortage", () => {
	expect(parseMemoryInfo("")).toBeUndefined();
	expect(parseMemoryInfo("MemTotal:       1000 kB\n")).toBeUndefined();
	expect(groupMemoryShare(undefined, undefined)).toBeUndefined();
});

test("a control group's own bound counts, without the cache that nobody works with; no bound is none", () => {
	expect(groupMemoryShare("1000\n", "900\n", "anon 1\ninactive_file 300\n")).toBe(0.4);
	expect(groupMemoryShare("1000", "900", "inactive_file 1\ntotal_inactive_file 2\n")).toBe(0.101);
	expect(groupMemoryShare("1000", "2000")).toBe(0);
	expect(groupMemoryShare("max\n", "900\n")).toBeUndefined();
	expect(groupMemoryShare("9223372036854771712\n", "900\n")).toBeUndefined();
});
