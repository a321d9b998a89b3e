import { expect, test } from "vitest";
import { addUsage, NO_USAGE, totalTokens } from "../../../src/core/usage.ts";

test("usage adds up kind by kind, and all that went in or out counts", () => {
	const usage = { input: 1, output: 20, cacheRead: 300, cacheWrite: 4000 };
	expect(addUsage(usage, usage)).toEqual({ input: 2, output: 40, cacheRead: 600, cacheWrite: 8000 });
	expect(addUsage(NO_USAGE, usage)).toEqual(usage);
	expect(totalTokens(usage)).toBe(4321);
});
