import { expect, test } from "vitest";
import { NO_USAGE } from "../../../src/core/usage.ts";
import { costOf, factsOf, MODEL_TABLE } from "../../../src/models/prices.ts";

const million = 1_000_000;

test("a million tokens of each kind cost what the table says", () => {
	expect(costOf("claude-opus-5-5", { ...NO_USAGE, input: million })).toBeCloseTo(4);
	expect(costOf("claude-opus-5-5", { ...NO_USAGE, output: million })).toBeCloseTo(20);
	expect(costOf("claude-opus-5-5", { ...NO_USAGE, cacheWrite: million })).toBeCloseTo(5);
	expect(costOf("claude-opus-5-5", { ...NO_USAGE, cacheRead: million })).toBeCloseTo(0.2);
});

test("where the table has no cache price the general rule holds", () => {
	expect(costOf("claude-fable-5-1", { ...NO_USAGE, cacheWrite: million })).toBeCloseTo(12.5);
	expect(costOf("claude-fable-5-1", { ...NO_USAGE, cacheRead: million })).toBeCloseTo(1);
});

test("a prompt of more than 100,000 tokens, cached ones counted, is charged by the higher tier", () => {
	const small = { input: 1000, cacheRead: 90_000, cacheWrite: 9000, output: 1000 };
	expect(costOf("claude-haiku-5-5", small)).toBeCloseTo(
		(1000 * 0.1 + 90_000 * 0.01 + 9000 * 0.125 + 1000 * 0.5) / million,
	);
	const large = { ...small, input: 1001 };
	expect(costOf("claude-haiku-5-5", large)).toBeCloseTo(
		(1001 * 0.5 + 90_000 * 0.05 + 9000 * 0.625 + 1000 * 2.5) / million,
	);
});

test("an unknown price is null and never zero; the built-in models cost nothing", () => {
	expect(costOf("claude-unheard-of-9", NO_USAGE)).toBeNull();
	expect(costOf("shell", { ...NO_USAGE, input: 5 })).toBe(0);
	expect(costOf("script:demo.yaml", { ...NO_USAGE, output: 5 })).toBe(0);
});

test("a dated name is the model that it begins with, and not a shorter one", () => {
	expect(factsOf("claude-haiku-4-5-20251001")?.id).toBe("claude-haiku-4-5");
	expect(factsOf("claude-opus-5-5-20261001")?.id).toBe("claude-opus-5-5");
	expect(factsOf("claude-opus-5-20260401")?.id).toBe("claude-opus-5");
	expect(factsOf("claude-opus-5-7")).toBeUndefined();
});

test("every model of the table is found under its own name, the sizes of the small one too", () => {
	expect(MODEL_TABLE.map(({ id }) => factsOf(id)?.id)).toEqual(MODEL_TABLE.map(({ id }) => id));
	expect(factsOf("claude-haiku-4-5")).toMatchObject({
		contextTokens: 200_000,
		maxOutputTokens: 64_000,
		isThinkingAdaptive: false,
	});
});
