import { expect, test } from "vitest";
import { NO_USAGE, type Usage } from "../../../src/core/model/usage.ts";
import { knownModel, MODEL_TABLE } from "../../../src/models/anthropic/model-table.ts";
import { factsOf } from "../../../src/models/catalogue.ts";
import { costOf as costIn } from "../../../src/models/provider/model-facts.ts";

const million = 1_000_000;
const costOf = (model: string, usage: Usage) => costIn(factsOf(model).price, usage);

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

test("every model of the table is found under its own name", () => {
	expect(MODEL_TABLE.map(({ id }) => knownModel(id)?.id)).toEqual(MODEL_TABLE.map(({ id }) => id));
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
