import { expect, test } from "vitest";
import { NO_USAGE, type Usage } from "../../../src/core/model/usage.ts";
import { knownModel } from "../../../src/models/anthropic/model-table.ts";
import { contextShare, describeContext, factsOf, type PricedModel, windowOf } from "../../../src/models/catalogue.ts";
import { costOf as costIn, highestCostOf as highestCostIn } from "../../../src/models/provider/model-facts.ts";
import { parseUserConfiguration } from "../../../src/models/user-configuration.ts";

const million = 1_000_000;
const costOf = (model: string, usage: Usage) => costIn(factsOf(model).price, usage);

test("a million tokens of each kind cost what the table says", () => {
	expect(costOf("claude-opus-5-5", { ...NO_USAGE, input: million })).toBeCloseTo(4);
	expect(costOf("claude-opus-5-5", { ...NO_USAGE, output: million })).toBeCloseTo(20);
	expect(costOf("claude-opus-5-5", { ...NO_USAGE, cacheWrite: million })).toBeCloseTo(5);
	expect(costOf("claude-opus-5-5", { ...NO_USAGE, cacheRead: million })).toBeCloseTo(0.2);
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
	expect(knownModel("claude-haiku-4-5-20251001")?.id).toBe("claude-haiku-4-5");
	expect(knownModel("claude-opus-5-5-20261001")?.id).toBe("claude-opus-5-5");
	expect(knownModel("claude-opus-5-20260401")?.id).toBe("claude-opus-5");
	expect(knownModel("claude-opus-5-7")).toBeUndefined();
});

test("a model is known by the names that other services and gateways give it, and no other one is taken for it", () => {
	const known: Record<string, string | undefined> = {
		"anthropic.claude-opus-5-5-20261001-v1:0": "claude-opus-5-5",
		"us.anthropic.claude-sonnet-5-v1:0": "claude-sonnet-5",
		"arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0":
			"claude-haiku-4-5",
		"claude-haiku-4-5@20251001": "claude-haiku-4-5",
		"publishers/anthropic/models/claude-opus-5@default": "claude-opus-5",
		"anthropic/claude-sonnet-5.5": "claude-sonnet-5-5",
		"team-claude-sonnet-5-5-eu": "claude-sonnet-5-5",
		"claude-sonnet-5[1m]": "claude-sonnet-5",
		"CLAUDE-OPUS-5": "claude-opus-5",
		"claude-opus-5-7": undefined,
		"claude-opus-50": undefined,
		"myclaude-opus-5": undefined,
		"arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2c3": undefined,
	};
	expect(Object.fromEntries(Object.keys(known).map((name) => [name, knownModel(name)?.id]))).toEqual(known);
	expect(factsOf("us.anthropic.claude-opus-5-v1:0").price).toEqual(factsOf("claude-opus-5").price);
	expect(factsOf("claude-sonnet-4-5[1m]")).toMatchObject({ contextTokens: 1_000_000, price: { is: "unknown" } });
	expect(factsOf("arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2c3").shortName).toBe("a1b2c3");
});

const SERVICE = { isRemote: true, readsMessages: true, answersBytes: false };

test("what is known of a model says its provider, and of a name that is no model's the least", () => {
	const haiku = { ...SERVICE, shortName: "claude-haiku-4-5", contextTokens: 200_000, maxAnswerTokens: 32_000 };
	expect(factsOf("claude-haiku-4-5")).toEqual({
		...haiku,
		price: { is: "per_million", tiers: [{ input: 1, output: 5, cacheWrite: 1.25, cacheRead: 0.1 }] },
	});
	const unknown = { ...SERVICE, contextTokens: undefined, maxAnswerTokens: 32_000, price: { is: "unknown" } };
	expect(factsOf("claude-unheard-of-9")).toEqual({ ...unknown, shortName: "claude-unheard-of-9" });
	expect(factsOf("gpt")).toEqual({ ...unknown, shortName: "gpt", isUnbounded: true });
	const free = { ...unknown, price: { is: "free" }, isRemote: false };
	expect(factsOf("shell")).toEqual({ ...free, shortName: "shell", readsMessages: false, answersBytes: true });
	expect(factsOf("script:/a/demo.yaml")).toEqual({ ...free, shortName: "script:demo.yaml", contextTokens: 1_000_000 });
});

test("what asks nobody stays free under a price of the user's own, whose sizes count", () => {
	const own = [{ id: "script:/a.yaml", contextTokens: 5_000, maxOutputTokens: 900, tiers: [{ input: 1, output: 1 }] }];
	expect(factsOf("script:/a.yaml", own)).toMatchObject({
		...{ price: { is: "free" }, contextTokens: 5_000, maxAnswerTokens: 900 },
	});
});

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

const parseUserPrices = (text: string, file: string) => [...parseUserConfiguration(text, file).prices];

const ownCostOf = (model: string, usage: Usage, own: PricedModel[] = []) => costIn(factsOf(model, own).price, usage);
const highestCostOf = (model: string, tokens: { prompt: number; output: number }, own: PricedModel[] = []) =>
	highestCostIn(factsOf(model, own).price, tokens);
const WHOLE = `# mine
prices:
  claude-next-6:
    input: 3
    output: 15
    cache_read: 0.5
    cache_write: 4
    context_tokens: 500000
    max_output_tokens: 8000
    above:
      prompt_tokens: 200000
      input: 6
      output: 30
`;

test("a price of one's own has its tier, its cache prices and its sizes", () => {
	const own = parseUserPrices(WHOLE, "c.yaml");
	const cost = (usage: object) => ownCostOf("claude-next-6-20270101", { ...NO_USAGE, ...usage }, own);
	expect(cost({ input: 200_000 })).toBeCloseTo(0.6);
	expect(cost({ input: 200_001 })).toBeCloseTo(1.2, 4);
	expect([cost({ cacheRead: 200_000 }), cost({ cacheWrite: 200_000 })]).toEqual([0.1, 0.8]);
	expect(cost({ cacheRead: million })).toBeCloseTo(0.6); // a tenth of the upper tier's input
	expect([cost({ cacheWrite: million }), cost({ output: million })]).toEqual([7.5, 15]);
	expect(factsOf("claude-next-6", own)).toMatchObject({ contextTokens: 500_000, maxAnswerTokens: 8000 });
	expect(factsOf("claude-next-6").price).toEqual({ is: "unknown" });
});

test("it goes before the built-in price, whose sizes stay", () => {
	const own = parseUserPrices("prices: { claude-haiku-4-5: { input: 2, output: 4 } }", "c.yaml");
	expect(ownCostOf("claude-haiku-4-5", { ...NO_USAGE, output: million }, own)).toBe(4);
	expect(ownCostOf("claude-haiku-4-5", { ...NO_USAGE, cacheRead: million }, own)).toBeCloseTo(0.2);
	expect(factsOf("claude-haiku-4-5", own).contextTokens).toBe(200_000);
	expect(ownCostOf("claude-opus-5", { ...NO_USAGE, output: million }, own)).toBe(25);
});

test("the most that a call may cost takes the dearest price of a prompt, in the dearest tier that it may be in", () => {
	expect(highestCostOf("claude-sonnet-5-5", { prompt: million, output: 0 })).toBeCloseTo(2.5);
	expect(highestCostOf("claude-haiku-5-5", { prompt: 90_000, output: million })).toBeCloseTo(0.51125);
	expect(highestCostOf("claude-haiku-5-5", { prompt: 90_001, output: million })).toBeCloseTo(2.55625, 4);
	const cheaperAbove = parseUserPrices(
		WHOLE.replace("input: 6", "input: 1").replace("output: 30", "output: 1"),
		"c.yaml",
	);
	expect(highestCostOf("claude-next-6", { prompt: 300_000, output: 0 }, cheaperAbove)).toBeCloseTo(1.2);
	expect([
		highestCostOf("shell", { prompt: 9, output: 9 }),
		highestCostOf("claude-x", { prompt: 1, output: 1 }),
	]).toEqual([0, null]);
});
