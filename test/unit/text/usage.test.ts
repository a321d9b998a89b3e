import { expect, test } from "vitest";
import { NO_USAGE } from "../../../src/core/usage.ts";
import { describeBudget, describeUsage, describeUsageFully, formatUsedTokens } from "../../../src/text/usage.ts";

test("what a service has not counted is said, and never shown as nothing", () => {
	const known = { ...NO_USAGE, input: 1200, output: 80 };
	expect([NO_USAGE, { ...NO_USAGE, uncounted: 1 }, known, { ...known, uncounted: 2 }].map(formatUsedTokens)).toEqual([
		"0",
		"?",
		"1.3k",
		"1.3k+?",
	]);
	expect(describeUsage({ ...known, uncounted: 1 }, null)).toBe(
		"1.2k in / 80 out and 1 call not counted by the service, cost unknown",
	);
	expect(describeUsageFully({ ...NO_USAGE, uncounted: 2 }, null)).toBe(
		"0 in / 0 out and 2 calls not counted by the service, cost unknown",
	);
	expect(describeBudget({ limit: "max-tokens", most: 5000, spent: null })).toBe("? of 5.0k tokens");
});
