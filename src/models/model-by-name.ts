/** Which model a name means. What a model needs (the SDK, the YAML reader) is loaded only when its name is asked for. */
import { AgentreeError } from "../core/errors.ts";
import type { Model } from "../core/model.ts";
import type { AnthropicCredentials } from "./anthropic/anthropic.ts";
import { modelKind } from "./model-name.ts";
import { openShell } from "./shell.ts";

/** `cwd`: where a script's relative path begins. `maxSilenceMs`: see Patience. Throws AgentreeError: `usage`, `key_missing`, `script`. */
export async function loadModel(
	name: string,
	options: { credentials: AnthropicCredentials; cwd: string; maxSilenceMs: number; now: () => number },
): Promise<Model> {
	const kind = modelKind(name);
	if (kind.is === "shell") return openShell();
	if (kind.is === "script") {
		const { openScript } = await import("./script/script.ts");
		return openScript(kind.file, options.cwd);
	}
	const { credentials } = options;
	if (!credentials.apiKey && !credentials.authToken)
		throw new AgentreeError(
			"key_missing",
			`no key for the model ${name}: set ANTHROPIC_API_KEY, or name a file that has it with --env-file; without a key try: agent demo`,
		);
	const { openAnthropic } = await import("./anthropic/anthropic.ts");
	return openAnthropic(name, credentials, options);
}
