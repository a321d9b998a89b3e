import { expect, test } from "vitest";
import { NO_USAGE, type Usage } from "../../../src/core/model/usage.ts";
import { factsOf, type PricedModel } from "../../../src/models/catalogue.ts";
import { costOf as costIn, highestCostOf as highestCostIn } from "../../../src/models/provider/model-facts.ts";
import { parseUserConfiguration } from "../../../src/models/user-configuration.ts";

const parseUserPrices = (text: string, file: string) => [...parseUserConfiguration(text, file).prices];

const million = 1_000_000;
const costOf = (model: string, usage: Usage, own: PricedModel[] = []) => costIn(factsOf(model, own).price, usage);
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
	const cost = (usage: object) => costOf("claude-next-6-20270101", { ...NO_USAGE, ...usage }, own);
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
	expect(costOf("claude-haiku-4-5", { ...NO_USAGE, output: million }, own)).toBe(4);
	expect(costOf("claude-haiku-4-5", { ...NO_USAGE, cacheRead: million }, own)).toBeCloseTo(0.2);
	expect(factsOf("claude-haiku-4-5", own).contextTokens).toBe(200_000);
	expect(costOf("claude-opus-5", { ...NO_USAGE, output: million }, own)).toBe(25);
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

test.each(["", "# nothing\n", "prices: {}\n", "{}"])("a file that says nothing is no mistake: %j", (text) => {
	expect(parseUserPrices(text, "c.yaml")).toEqual([]);
});

test.each([
	["pricez: {}", 'c.yaml:1:1: unknown key "pricez"; known here: prices'],
	["prices: [1]", "c.yaml:1:9: a mapping is expected"],
	["prices:\n  m: { input: 1 }", "c.yaml:2:6: output is missing"],
	["prices:\n  m: { output: 1 }", "c.yaml:2:6: input is missing"],
	["prices:\n  m: 5", "c.yaml:2:6: a mapping with input, output, cache_read, cache_write, context_tokens"],
	["prices:\n  m: { input: -1, output: 1 }", "c.yaml:2:15: dollars for a million tokens are expected"],
	["prices:\n  m: { input: .inf, output: 1 }", "c.yaml:2:15: dollars for a million tokens are expected"],
	["prices:\n  m: { input: .nan, output: 1 }", "c.yaml:2:15: dollars for a million tokens are expected"],
	["prices:\n  m: { input: 1€, output: 1 }", "c.yaml:2:15: a number is expected"],
	["prices:\n  m: { input: 1, output: 1, cash: 1 }", 'c.yaml:2:29: unknown key "cash"'],
	["prices:\n  m: { input: 1, output: 1, context_tokens: 0 }", "c.yaml:2:45: 1 or more is expected"],
	["prices:\n  m: { input: 1, output: 1, above: { input: 1, output: 1 } }", "c.yaml:2:36: prompt_tokens is missing"],
	["prices: {", "c.yaml:1:10: "],
])("%j is told with its place", (text, complaint) => {
	expect(() => parseUserPrices(text, "c.yaml")).toThrow(complaint);
});
