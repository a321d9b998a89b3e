/** Which model a name means. What a model needs (the SDK, the YAML reader) is loaded only when its name is asked for. */
import { AgentreeError } from "../core/errors.ts";
import type { Model } from "../core/model.ts";
import type { AnthropicCredentials } from "./anthropic.ts";
import { MODEL_TABLE } from "./prices.ts";
import { openShell } from "./shell.ts";

/** `cwd`: where a script's relative path begins. Throws AgentreeError: `usage`, `key_missing`, `script`. */
export async function loadModel(
	name: string,
	options: { credentials: AnthropicCredentials; cwd: string },
): Promise<Model> {
	if (name === "shell") return openShell();
	if (name.startsWith("script:")) {
		const file = name.slice("script:".length);
		if (file === "") throw new AgentreeError("usage", "no file in the model name script:FILE");
		const { openScript } = await import("./script.ts");
		return openScript(file, options.cwd);
	}
	if (!name.includes("claude")) throw new AgentreeError("usage", `unknown model "${name}"; known: ${knownNames()}`);
	const { credentials } = options;
	if (!credentials.apiKey && !credentials.authToken)
		throw new AgentreeError(
			"key_missing",
			`no key for the model ${name}: set ANTHROPIC_API_KEY, or name a file that has it with --env-file; without a key try: agent demo`,
		);
	const { openAnthropic } = await import("./anthropic.ts");
	return openAnthropic(name, credentials);
}

function knownNames(): string {
	return [...MODEL_TABLE.map(({ id }) => id), "shell", "script:FILE"].join(", ");
}
