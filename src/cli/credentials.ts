/** The key: from the environment or the file that was named, for the supervisor alone. No `.env` is read unasked. */
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { AgentreeError } from "../core/errors.ts";
import type { AnthropicCredentials } from "../models/anthropic.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the file says wins over the environment, since it was named by hand. */
export function readCredentials(env: Environment, envFile: string | undefined): AnthropicCredentials {
	const from = { ...env, ...(envFile === undefined ? {} : readEnvFile(envFile)) };
	const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken, ANTHROPIC_BASE_URL: baseUrl } = from;
	return { ...(apiKey ? { apiKey } : {}), ...(authToken ? { authToken } : {}), ...(baseUrl ? { baseUrl } : {}) };
}

function readEnvFile(path: string): Environment {
	try {
		return parseEnv(readFileSync(path, "utf8"));
	} catch (error) {
		throw new AgentreeError(
			"usage",
			`--env-file ${path}: cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"})`,
		);
	}
}
