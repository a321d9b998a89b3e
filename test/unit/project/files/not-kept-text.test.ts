import { expect, test } from "vitest";
import { describeLeft, describeSkipped } from "../../../../src/project/files/plan-put-back.ts";

test("what is not kept is counted by its reason, with the first names", () => {
	const large = ["a", "b", "c", "d"].map((path) => ({ path, because: "too_large" }) as const);
	expect(describeSkipped([...large, { path: "sub/", because: "repository" }])).toBe(
		"4 files that are too large (a, b, c, …), 1 repository inside (sub/)",
	);
	expect(describeSkipped([{ path: "b\xffd", because: "not_readable" }])).toBe("1 file that cannot be read (b\ufffdd)");
	expect(describeSkipped([])).toBeUndefined();
});

test("why something is left is told in words, and an error that nobody knows by its code", () => {
	expect(describeLeft({ is: "ignored" })).toBe("git ignores it");
	expect(describeLeft({ is: "system", code: "EBUSY" })).toBe("it is in use");
	expect(describeLeft({ is: "system", code: "EWHAT" })).toBe("EWHAT");
});
