import { expect, test } from "vitest";
import { contextShare, describeContext, factsOf, windowOf } from "../../../src/models/catalogue.ts";

const OWN = [{ id: "claude-unheard-of-9", contextTokens: 50_000, maxOutputTokens: 8_000, tiers: [] }];

// Seen to fail with the built-in table alone: nothing was shown for the first, 1.0M for the second.
test("the window that was recorded goes before the table, and without one the table's is taken", () => {
	const full = { contextTokens: 40_000, windowTokens: 50_000 };
	expect(contextShare({ model: "claude-unheard-of-9", ...full })).toBe(0.8);
	expect(describeContext({ model: "claude-opus-5-5", ...full, compactions: 2 })).toBe(
		"40.0k of 50.0k tokens (80 %), compacted 2×",
	);
	expect([windowOf({ model: "claude-haiku-4-5" }), windowOf({ model: "claude-unheard-of-9" })]).toEqual([
		...[200_000, undefined],
	]);
	expect(describeContext({ model: "claude-unheard-of-9", contextTokens: 40_000 })).toBeUndefined();
});

test("a window is known of the user's own models, of the table's and of scripts, and of no other", () => {
	const models = ["claude-unheard-of-9", "claude-haiku-4-5", "script:a.yaml", "shell", "claude-unheard-of-8"];
	expect(models.map((model) => factsOf(model, OWN).contextTokens)).toEqual([
		...[50_000, 200_000, 1_000_000, undefined, undefined],
	]);
});
