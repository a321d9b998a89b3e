/**
 * The provider of Claude: any name with `claude` in it, also as other vendors write it (`us.anthropic.claude-…`), and, at an
 * address of the user's own, any name at all.
 */

import { AgentreeError, usageError } from "../../core/errors.ts";
import type { Credentials, Provider } from "../provider/provider.ts";
import { notToBeSet, shownAddress } from "../service/check-credentials.ts";
import { proxiedWay } from "../service/proxy.ts";
import type { AnthropicCredentials } from "./credentials.ts";
import { ALIASES, factsOfClaude, isClaudeName, MODEL_TABLE, resolveClaude } from "./model-table.ts";

const [API_KEY, AUTH_TOKEN] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"] as const;
const [BASE_URL, HEADERS] = ["ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS"] as const;

export const ANTHROPIC: Provider = {
	names: MODEL_TABLE.map(({ id }) => id),
	variables: { keys: [API_KEY, AUTH_TOKEN], addresses: [BASE_URL], others: [HEADERS] },
	aliases: ALIASES,
	keyVariableOf: (service) => (service === "anthropic" ? API_KEY : undefined),
	owns: isClaudeName,
	addresses: (credentials) => [shownAddress(addressOf(credentials))],
	hasKey: (_, { credentials }) => Boolean(credentials[API_KEY] ?? credentials[AUTH_TOKEN]),
	takesAnyName: (credentials) => credentials[BASE_URL] !== undefined,
	list: async (host) => {
		const read = credentialsIn(host.credentials);
		if (read.apiKey === undefined && read.authToken === undefined) return [];
		const { listClaude } = await import("./credentials.ts");
		return [await listClaude(read, addressOf(host.credentials), host)];
	},
	facts: factsOfClaude,
	resolve: resolveClaude,
	check: () => {},
	open: async (name, { credentials, environment = {}, ...host }) => {
		const read = credentialsIn(credentials);
		if (read.apiKey === undefined && read.authToken === undefined)
			throw new AgentreeError(
				"key_missing",
				`no key for the model ${name}: set ${API_KEY}, or pass a file with --env-file; without a key, try agent demo`,
			);
		const { openAnthropic } = await import("./anthropic.ts");
		return openAnthropic(name, read, { ...host, ...(await proxiedWay(addressOf(credentials), environment)) });
	},
};

const ADDRESS = "https://api.anthropic.com";

function addressOf(credentials: Credentials): string {
	return credentials[BASE_URL] ?? ADDRESS;
}

function credentialsIn(given: Credentials): AnthropicCredentials {
	const { [API_KEY]: apiKey, [AUTH_TOKEN]: authToken, [BASE_URL]: baseUrl, [HEADERS]: headers } = given;
	const read = { apiKey, authToken, baseUrl, headers: headers ? headersIn(headers) : undefined };
	return Object.fromEntries(Object.entries(read).filter(([, value]) => value));
}

/** `Name: value`, one a line. */
function headersIn(text: string): Record<string, string> {
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	return Object.fromEntries(lines.map((line) => headerIn(line.trim())));
}

function headerIn(line: string): [string, string] {
	const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
	const why = name && notToBeSet(name);
	if (why) throw usageError(`${HEADERS}: ${why}`);
	if (name !== undefined && value !== undefined) return [name, value];
	throw usageError(`${HEADERS} has a line that is not a header (NAME: VALUE)`);
}
