/**
 * Services with the protocol of OpenAI, from the configuration file. What a known one has needs not be said again.
 *
 *   providers:
 *     lab:                                  # its models are lab/NAME
 *       base_url: https://llm.lab.example/v1
 *       key_env: LAB_KEY                    # or a list: when one is refused or used up, the next serves; none: no key
 *       key_command: pass show lab          # prints the key, for when no variable has it
 *       headers: { api-key: $LAB_KEY }      # sent with each call; $NAME is a variable
 *       protocol: responses                 # default: chat
 *       flags: { max_tokens: max_completion_tokens }
 *       prices: { big: { input: 1, output: 4, context_tokens: 200000 } }
 *       windows: { small: 32768 }
 */

import { defined } from "../core/defined.ts";
import { factsOf, type PricedModel } from "./catalogue.ts";
import { type PriceTier, windowTokens } from "./provider/model-facts.ts";
import { type HostFlags, PROTOCOLS, type UserHost } from "./provider/user-host.ts";
import { PROVIDERS } from "./providers.ts";
import { notToBeSet } from "./service/check-credentials.ts";
import type { Located } from "./user-files/located-yaml.ts";

const KEYS = ["base_url", "key_env", "key_command", "headers", "protocol", "flags", "prices", "windows"] as const;
const NAME = /^[a-z0-9][\w.-]*$/i;
const VARIABLE = /^[a-z_]\w*$/i;
const BOOLEANS = ["true", "false"] as const;

/** For each flag its key and its values. */
const FLAGS: { readonly [K in keyof HostFlags]: { key: string; values: readonly string[] } } = {
	maxTokens: { key: "max_tokens", values: ["max_tokens", "max_completion_tokens"] },
	systemRole: { key: "system_role", values: ["system", "developer", "user"] },
	streamUsage: { key: "stream_usage", values: BOOLEANS },
	thinkingBack: { key: "thinking_back", values: ["none", "reasoning_content", "reasoning", "reasoning_details"] },
	callSignatures: { key: "call_signatures", values: BOOLEANS },
	effort: { key: "effort", values: ["none", "reasoning_effort", "reasoning"] },
	toolChoice: { key: "tool_choice", values: BOOLEANS },
	textAfterResults: { key: "text_after_results", values: BOOLEANS },
	shortCallIds: { key: "short_call_ids", values: BOOLEANS },
	cutsPrompts: { key: "cuts_prompts", values: BOOLEANS },
	encryptedThinking: { key: "encrypted_thinking", values: BOOLEANS },
	thinkingSummary: { key: "thinking_summary", values: BOOLEANS },
};

/** Throws AgentreeError("script") with file, line and column of the first error. */
export function parseUserHosts(written: Located | undefined): { hosts: UserHost[]; prices: PricedModel[] } {
	const entries = written?.entries() ?? [];
	return {
		hosts: entries.map(({ key, value }) => hostIn(key, value)),
		prices: entries.flatMap(({ key, value }) => {
			const { prices, windows } = value.map(KEYS);
			return [...pricedModels(prices, key), ...sizedModels(windows, key)];
		}),
	};
}

function hostIn(name: string, written: Located): UserHost {
	if (!NAME.test(name)) written.fail("a provider has a name of letters, digits, -, _ and .");
	const { base_url, key_env, key_command, headers, protocol, flags } = written.map(KEYS);
	const baseUrl = base_url?.string();
	if (baseUrl === undefined && !isKnown(name)) written.fail("base_url is missing");
	const keyCommand = key_command?.string();
	return {
		name,
		...(baseUrl !== undefined && { baseUrl }),
		...(key_env !== undefined && { keyVariables: variablesIn(key_env) }),
		...(keyCommand !== undefined && { keyCommand }),
		...(headers !== undefined && { headers: headersIn(headers) }),
		...(protocol !== undefined && { protocol: protocol.oneOf(PROTOCOLS) }),
		...(flags !== undefined && { flags: flagsIn(flags) }),
	};
}

/** Its address is known. */
function isKnown(name: string): boolean {
	return PROVIDERS.some(({ names }) => names.includes(`${name}/MODEL`));
}

function variablesIn(written: Located): string[] {
	const names = written.isList() ? written.list() : [written];
	const variables = names.map((name) => (VARIABLE.test(name.string()) ? name.string() : notAVariable(name)));
	return variables.length === 1 && variables[0] === "none" ? [] : variables;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

function headersIn(written: Located): Record<string, string> {
	const entries = written.entries().map(({ key, value }): [string, string] => {
		const text = value.string();
		if (!HEADER_NAME.test(key) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) value.fail("not a header");
		const why = notToBeSet(key);
		if (why !== undefined) value.fail(why);
		return [key, text];
	});
	return Object.fromEntries(entries);
}

function notAVariable(written: Located): never {
	return written.fail("the name of an environment variable is expected here, not a key");
}

function flagsIn(written: Located): Partial<HostFlags> {
	const rows = Object.entries(FLAGS);
	const values = written.map(rows.map(([, { key }]) => key));
	const given = rows.flatMap(([flag, { key, values: known }]) => {
		const value = values[key];
		if (value === undefined) return [];
		const word = value.oneOf(known);
		return [[flag, known === BOOLEANS ? word === "true" : word]];
	});
	return Object.fromEntries(given);
}

/**
 * A user's own prices, from the configuration file: dollars per million tokens, by the model's name.
 *
 *   prices:
 *     claude-sonnet-5-5:
 *       input: 1.80
 *       output: 9
 *       cache_read: 0.18           # default: a tenth of `input`
 *       cache_write: 2.25          # default: 1.25 times `input`
 *       context_tokens: 500000     # default: as built in, or 1,000,000
 *       max_output_tokens: 16000
 *       above:                     # for a prompt of more tokens than this
 *         prompt_tokens: 200000
 *         input: 3.60
 *         output: 13.50
 */

const PRICE_KEYS = ["input", "output", "cache_read", "cache_write"] as const;

/**
 * The models that a mapping prices. `service`: the one whose own names they are, as before the slash; it charges nothing for
 * what it writes to its cache.
 */
export function pricedModels(prices: Located | undefined, service?: string): PricedModel[] {
	const models = prices?.entries().map(({ key, value }) => priced(wholeName(key, service), value)) ?? [];
	return service === undefined ? models : models.map(withFreeWrites);
}

/** The models of a service whose sizes alone are known: a mapping of names to tokens. */
function sizedModels(windows: Located | undefined, service: string): PricedModel[] {
	const entries = windows?.entries() ?? [];
	return entries.map(({ key, value }) => {
		const id = wholeName(key, service);
		const contextTokens = size(value) ?? windowTokens(factsOf(id));
		return { id, contextTokens, maxOutputTokens: factsOf(id).maxAnswerTokens, tiers: [] };
	});
}

/** Its own name, or already the one with the service before it. */
function wholeName(name: string, service: string | undefined): string {
	return service === undefined || name.startsWith(`${service}/`) ? name : `${service}/${name}`;
}

function withFreeWrites({ tiers, ...model }: PricedModel): PricedModel {
	return { ...model, tiers: tiers.map((tier) => ({ cacheWrite: tier.input, ...tier })) };
}

function priced(id: string, written: Located): PricedModel {
	const values = written.map([...PRICE_KEYS, "context_tokens", "max_output_tokens", "above"]);
	const known = factsOf(id);
	const contextTokens = size(values.context_tokens) ?? windowTokens(known);
	const maxOutputTokens = size(values.max_output_tokens) ?? known.maxAnswerTokens;
	const base = tier(written, values);
	if (values.above === undefined) return { id, contextTokens, maxOutputTokens, tiers: [base] };
	const above = values.above.map(["prompt_tokens", ...PRICE_KEYS]);
	const upToPromptTokens = size(above.prompt_tokens) ?? values.above.fail("prompt_tokens is missing");
	const tiers = [{ ...base, upToPromptTokens }, tier(values.above, above)];
	return { id, contextTokens, maxOutputTokens, tiers };
}

function tier(written: Located, values: Record<string, Located | undefined>): PriceTier {
	const [cacheRead, cacheWrite] = [price(values.cache_read), price(values.cache_write)];
	return {
		input: price(values.input) ?? written.fail("input is missing"),
		output: price(values.output) ?? written.fail("output is missing"),
		...defined({ cacheRead, cacheWrite }),
	};
}

function price(written: Located | undefined): number | undefined {
	const dollars = written?.number();
	return dollars === undefined || (dollars >= 0 && dollars < 1_000_000)
		? dollars
		: written?.fail("dollars for a million tokens are expected");
}

function size(written: Located | undefined): number | undefined {
	const tokens = written?.count();
	return tokens === 0 ? written?.fail("1 or more is expected") : tokens;
}
