/** The provider of Claude: any name with `claude` in it, also as other vendors write it (`us.anthropic.claude-…`). */
import { AgentreeError } from "../../core/errors.ts";
import type { Credentials, Provider } from "../provider/provider.ts";
import type { AnthropicCredentials } from "./anthropic.ts";
import { factsOfClaude, MODEL_TABLE } from "./model-table.ts";

const [API_KEY, AUTH_TOKEN, BASE_URL] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"] as const;

export const ANTHROPIC: Provider = {
	names: MODEL_TABLE.map(({ id }) => id),
	variables: { keys: [API_KEY, AUTH_TOKEN], others: [BASE_URL] },
	owns: (name) => /^[^:]*claude/.test(name), // what stands before a colon may be another provider's scheme
	facts: factsOfClaude,
	resolve: (name) => name,
	check: () => {},
	open: async (name, { credentials, ...host }) => {
		const read = credentialsIn(credentials);
		if (read.apiKey === undefined && read.authToken === undefined)
			throw new AgentreeError(
				"key_missing",
				`no key for the model ${name}: set ${API_KEY}, or name a file that has it with --env-file; without a key try: agent demo`,
			);
		const { openAnthropic } = await import("./anthropic.ts");
		return openAnthropic(name, read, host);
	},
};

function credentialsIn(given: Credentials): AnthropicCredentials {
	const { [API_KEY]: apiKey, [AUTH_TOKEN]: authToken, [BASE_URL]: baseUrl } = given;
	return { ...(apiKey && { apiKey }), ...(authToken && { authToken }), ...(baseUrl && { baseUrl }) };
}
