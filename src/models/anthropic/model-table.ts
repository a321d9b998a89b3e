/**
 * The models of Anthropic that are known: prices in dollars per million tokens, sizes, and what they accept, from the
 * vendor's documentation of November 2026.
 */

import { usageError } from "../../core/errors.ts";
import { MAX_ANSWER_TOKENS, type ModelFacts, type PriceTier, unknownModel } from "../provider/model-facts.ts";
import { hintAboutName } from "../provider/provider.ts";

interface AnthropicModel {
	readonly id: string;
	readonly contextTokens: number;
	readonly maxOutputTokens: number;
	/** The model decides by itself how much to think. Other models are asked without thinking. */
	readonly isThinkingAdaptive: boolean;
	readonly tiers: readonly PriceTier[];
}

const LARGE = { contextTokens: 1_000_000, maxOutputTokens: 128_000, isThinkingAdaptive: true };
const SMALL = { contextTokens: 200_000, maxOutputTokens: 64_000, isThinkingAdaptive: false };

export const MODEL_TABLE: readonly AnthropicModel[] = [
	{ id: "claude-fable-5-1", ...LARGE, tiers: [{ input: 10, output: 50 }] },
	{ id: "claude-opus-5-5", ...LARGE, tiers: [{ input: 4, output: 20, cacheWrite: 5, cacheRead: 0.2 }] },
	{ id: "claude-opus-5", ...LARGE, tiers: [{ input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 }] },
	{ id: "claude-sonnet-5-5", ...LARGE, tiers: [{ input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.2 }] },
	{ id: "claude-sonnet-5", ...LARGE, tiers: [{ input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.2 }] },
	{
		id: "claude-haiku-5-5",
		...LARGE,
		tiers: [
			{ upToPromptTokens: 100_000, input: 0.1, output: 0.5, cacheWrite: 0.125, cacheRead: 0.01 },
			{ input: 0.5, output: 2.5, cacheWrite: 0.625, cacheRead: 0.05 },
		],
	},
	{ id: "claude-haiku-4-5", ...SMALL, tiers: [{ input: 1, output: 5, cacheWrite: 1.25, cacheRead: 0.1 }] },
];

/**
 * The row of the model that the name clearly contains, with a date, or as another service writes it; undefined when the table
 * has none. A number after the id that is too short for a date makes it another model: `claude-opus-5-7` is no `claude-opus-5`.
 */
export function knownModel(name: string): AnthropicModel | undefined {
	const plain = name.toLowerCase().replace(/(\d)\.(?=\d)/g, "$1-");
	return PATTERNS.find(({ pattern }) => pattern.test(plain))?.row;
}

const PATTERNS = MODEL_TABLE.map((row) => ({
	row,
	pattern: new RegExp(`(?<![a-z0-9])${row.id}(?![a-z0-9]|-\\d{1,7}(?!\\d))`),
}));

export function factsOfClaude(name: string): ModelFacts {
	const known = knownModel(name);
	const unknown = { ...unknownModel(name), shortName: name.replace(/^arn:.*\//, "") };
	if (known === undefined)
		return asksForLargeContext(name) ? { ...unknown, contextTokens: LARGE_CONTEXT_TOKENS } : unknown;
	const { contextTokens, maxOutputTokens, tiers } = known;
	const maxAnswerTokens = Math.min(MAX_ANSWER_TOKENS, maxOutputTokens);
	return { ...unknown, contextTokens, maxAnswerTokens, price: { is: "per_million", tiers } };
}

/**
 * True for models that think adaptively. A model that the table does not have counts as new, unless its name is from before 4.6.
 * What an address of the user's own has under another name may be any model, and is asked without thinking.
 */
export function thinksAdaptively(name: string): boolean {
	const isOld = /claude-(?:[23]|instant|(?:opus|sonnet|haiku)-4(?!-[6-9]))/i.test(name);
	return knownModel(name)?.isThinkingAdaptive ?? (/claude/i.test(name) && !isOld);
}

/**
 * The names under which a model of Anthropic is asked for: its own, a word for the newest of its kind (`opus`), with a date,
 * and as other services write it, such as `us.anthropic.claude-opus-5-v1:0`, an ARN, `claude-opus-5@20260401`. A name may end
 * with `[1m]`.
 */

const ARN = /^arn:aws[\w-]*:bedrock:/;
const PLAIN = /^[^:]*claude/i; // what stands before a colon may be another provider's scheme

/** The words for the newest model of each kind. The table has the models of a kind with the newest first. */
export const ALIASES: ReadonlyMap<string, string> = new Map(
	MODEL_TABLE.toReversed().map(({ id }) => [id.split("-")[1] ?? id, id]),
);

export function isClaudeName(name: string): boolean {
	return ALIASES.has(withoutContext(name)) || ARN.test(name) || PLAIN.test(name);
}

/**
 * The name as a run keeps it: an alias in full, and `[1m]` only where the model is not known to have that context anyway.
 * `from`: as ModelHost.nameFrom. Throws AgentreeError("usage") for a model that cannot have it.
 */
export function resolveClaude(name: string, _startedIn: string | undefined, from?: string): string {
	const asked = withoutContext(name);
	const full = ALIASES.get(asked) ?? asked;
	if (!asksForLargeContext(name)) return full;
	const contextTokens = knownModel(full)?.contextTokens;
	if (contextTokens === undefined) return name;
	if (contextTokens >= LARGE_CONTEXT_TOKENS) return full;
	throw usageError(
		`the model ${full} has no one-million-token context: use it without [1m]${hintAboutName(full, [], from)}`,
	);
}

/** `[1m]` at the end of a model's name asks for a context of one million tokens. */
const SUFFIX = /\[1m\]$/i;

const LARGE_CONTEXT_TOKENS = 1_000_000;
/** Older models have that context only for whoever asks for it so. Newer ones have it anyway, and are asked without. */
export const LARGE_CONTEXT_HEADERS = { "anthropic-beta": "context-1m-2025-08-07" };

export function asksForLargeContext(name: string): boolean {
	return SUFFIX.test(name);
}

/** The name as the service knows it. */
export function withoutContext(name: string): string {
	return name.replace(SUFFIX, "");
}
