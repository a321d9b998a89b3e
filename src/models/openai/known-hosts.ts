/**
 * Services with the protocol of OpenAI whose address and quirks are known, from the documentation of each, November 2026. In
 * what they differ are flags here, and no code elsewhere.
 */

import {
	MAX_ANSWER_TOKENS,
	type ModelFacts,
	type Price,
	type PriceTier,
	unknownModel,
} from "../provider/model-facts.ts";
import type { HostFlags, Protocol } from "../provider/user-host.ts";

export interface KnownHost {
	readonly name: string;
	readonly baseUrl: string;
	readonly keyVariables: readonly string[];
	readonly addressVariables: readonly string[];
	readonly needsKey: boolean;
	readonly protocol: Protocol;
	readonly flags: Partial<HostFlags>;
	/** Models of it that have other quirks, by its own names. */
	readonly others?: { readonly models: RegExp; readonly flags: Partial<HostFlags> };
	/** It runs on a machine of the user's own, and no token of it has a price. */
	readonly isOwn?: true;
}

const hosted = { needsKey: true, protocol: "chat" } as const;
const own = { needsKey: false, protocol: "chat", isOwn: true, flags: {} } as const;

export const KNOWN_HOSTS: readonly KnownHost[] = [
	{
		...{ name: "openai", baseUrl: "https://api.openai.com/v1", ...hosted },
		...{ keyVariables: ["OPENAI_API_KEY"], addressVariables: ["OPENAI_BASE_URL"] },
		flags: { maxTokens: "max_completion_tokens", systemRole: "developer" },
	},
	{
		...{ name: "deepseek", baseUrl: "https://api.deepseek.com/v1", ...hosted },
		...{ keyVariables: ["DEEPSEEK_API_KEY"], addressVariables: ["DEEPSEEK_BASE_URL"] },
		flags: { thinkingBack: "reasoning_content" },
	},
	{
		...{ name: "gemini", baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai", ...hosted },
		...{ keyVariables: ["GEMINI_API_KEY"], addressVariables: ["GEMINI_BASE_URL"] },
		flags: { callSignatures: true },
		others: { models: /^(?:models\/)?gemini-[12]\b/, flags: { callSignatures: false } },
	},
	{
		...{ name: "groq", baseUrl: "https://api.groq.com/openai/v1", ...hosted },
		...{ keyVariables: ["GROQ_API_KEY"], addressVariables: ["GROQ_BASE_URL"] },
		flags: { maxTokens: "max_completion_tokens" },
	},
	{
		...{ name: "openrouter", baseUrl: "https://openrouter.ai/api/v1", ...hosted },
		...{ keyVariables: ["OPENROUTER_API_KEY"], addressVariables: ["OPENROUTER_BASE_URL"] },
		flags: { thinkingBack: "reasoning_details", effort: "reasoning" },
	},
	{
		...{ name: "ollama", baseUrl: "http://127.0.0.1:11434/v1", ...own },
		...{ keyVariables: ["OLLAMA_API_KEY"], addressVariables: ["OLLAMA_BASE_URL"] },
		flags: { cutsPrompts: true },
	},
	{
		...{ name: "vllm", baseUrl: "http://127.0.0.1:8000/v1", ...own },
		...{ keyVariables: ["VLLM_API_KEY"], addressVariables: ["VLLM_BASE_URL"] },
	},
];

/**
 * Models of known services whose price and sizes are known, in dollars per million tokens: from the pages of OpenAI
 * (developers.openai.com/api/docs/pricing), DeepSeek (api-docs.deepseek.com/quick_start/pricing, the price of busy hours, which is
 * twice that of others) and Groq (console.groq.com/docs/models), as of autumn 2026. Of any other model nothing is known.
 */

interface KnownModel {
	readonly id: string;
	readonly contextTokens: number;
	readonly maxOutputTokens: number;
	readonly tiers: readonly PriceTier[];
}

const LONG_PROMPT = 272_000;

/** A prompt above 272,000 tokens costs twice as much, its answer half as much again. */
function longTiers(input: number, cacheRead: number, output: number): PriceTier[] {
	const short = { input, cacheRead, cacheWrite: input * 1.25, output };
	const long = { input: input * 2, cacheRead: cacheRead * 2, cacheWrite: input * 2.5, output: output * 1.5 };
	return [{ upToPromptTokens: LONG_PROMPT, ...short }, long];
}

/** What is written to the cache costs as much as any input. */
function tier(input: number, cacheRead: number, output: number): PriceTier[] {
	return [{ input, cacheRead, cacheWrite: input, output }];
}

const LARGE = { contextTokens: 1_050_000, maxOutputTokens: 128_000 };
const GPT_5 = { contextTokens: 400_000, maxOutputTokens: 128_000 };
const GPT_4_1 = { contextTokens: 1_047_576, maxOutputTokens: 32_768 };
const DEEPSEEK = { contextTokens: 1_000_000, maxOutputTokens: 384_000 };

const MODELS: readonly KnownModel[] = [
	{ id: "openai/gpt-6-astra", ...LARGE, tiers: longTiers(10, 1, 50) },
	{ id: "openai/gpt-6-sol", ...LARGE, tiers: longTiers(2, 0.2, 10) },
	{ id: "openai/gpt-6-luna", ...LARGE, tiers: longTiers(0.1, 0.01, 0.5) },
	{ id: "openai/gpt-5.6-sol", ...LARGE, tiers: longTiers(4, 0.4, 20) },
	{ id: "openai/gpt-5.6-luna", ...LARGE, tiers: longTiers(0.2, 0.02, 1.2) },
	{ id: "openai/gpt-5", ...GPT_5, tiers: tier(1.25, 0.125, 10) },
	{ id: "openai/gpt-5-mini", ...GPT_5, tiers: tier(0.25, 0.025, 2) },
	{ id: "openai/gpt-5-nano", ...GPT_5, tiers: tier(0.05, 0.005, 0.4) },
	{ id: "openai/gpt-4.1", ...GPT_4_1, tiers: tier(2, 0.5, 8) },
	{ id: "openai/gpt-4.1-mini", ...GPT_4_1, tiers: tier(0.4, 0.1, 1.6) },
	{ id: "openai/gpt-4.1-nano", ...GPT_4_1, tiers: tier(0.1, 0.025, 0.4) },
	{ id: "deepseek/deepseek-flash", ...DEEPSEEK, tiers: tier(0.3, 0.006, 1.2) },
	{ id: "deepseek/deepseek-v4-pro", ...DEEPSEEK, tiers: tier(1.32, 0.044, 3.96) },
	{
		...{ id: "groq/openai/gpt-oss-120b", contextTokens: 131_072, maxOutputTokens: 65_536 },
		tiers: tier(0.15, 0.15, 0.6),
	},
	{
		...{ id: "groq/openai/gpt-oss-20b", contextTokens: 131_072, maxOutputTokens: 65_536 },
		tiers: tier(0.075, 0.075, 0.3),
	},
	{
		...{ id: "groq/llama-3.3-70b-versatile", contextTokens: 131_072, maxOutputTokens: 32_768 },
		tiers: tier(0.59, 0.59, 0.79),
	},
	{
		...{ id: "groq/llama-3.1-8b-instant", contextTokens: 131_072, maxOutputTokens: 131_072 },
		tiers: tier(0.05, 0.05, 0.08),
	},
];

export const KNOWN_NAMES: readonly string[] = MODELS.map(({ id }) => id);

const DATE = /-\d{4}-\d{2}-\d{2}$/;

export function factsOfHosted(name: string): ModelFacts {
	const unknown = unknownModel(name);
	const known = MODELS.find(({ id }) => id === name.replace(DATE, ""));
	if (known === undefined) return { ...unknown, isUnbounded: true, price: priceOfUnknown(name) };
	const { contextTokens, maxOutputTokens, tiers } = known;
	const maxAnswerTokens = Math.min(MAX_ANSWER_TOKENS, maxOutputTokens);
	return { ...unknown, contextTokens, maxAnswerTokens, price: { is: "per_million", tiers } };
}

const NO_PRICE: PriceTier[] = [{ input: 0, output: 0 }];

/** What runs on a machine of one's own has no price for a token; a price of the user's own goes before this one. */
function priceOfUnknown(name: string): Price {
	const isOwn = KNOWN_HOSTS.some((host) => host.isOwn && name.startsWith(`${host.name}/`));
	return isOwn ? { is: "per_million", tiers: NO_PRICE } : { is: "unknown" };
}
