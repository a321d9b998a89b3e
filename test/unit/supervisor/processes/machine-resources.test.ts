import { expect, test } from "vitest";
import { cgroupMemoryShare, parseMemoryInfo } from "../../../../src/supervisor/processes/machine-resources.ts";

test("free memory is what the kernel calls available, caches counted as free", () => {
	const text = "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    250 kB\nBuffers: 1 kB\n";
	expect(parseMemoryInfo(text)).toBe(0.25);
});

test("where the kernel does not tell, there is no share, and so no shortage", () => {
	expect(parseMemoryInfo("")).toBeUndefined();
	expect(parseMemoryInfo("MemTotal:       1000 kB\n")).toBeUndefined();
	expect(cgroupMemoryShare(undefined, undefined)).toBeUndefined();
});

test("a cgroup's own bound counts, its inactive cache as free; without a bound there is no share", () => {
	expect(cgroupMemoryShare("1000\n", "900\n", "anon 1\ninactive_file 300\n")).toBe(0.4);
	expect(cgroupMemoryShare("1000", "900", "inactive_file 1\ntotal_inactive_file 2\n")).toBe(0.101);
	expect(cgroupMemoryShare("1000", "2000")).toBe(0);
	expect(cgroupMemoryShare("max\n", "900\n")).toBeUndefined();
	expect(cgroupMemoryShare("9223372036854771712\n", "900\n")).toBeUndefined();
});
