/** Keys of models: from the environment or the file that was named, for the supervisor alone. No `.env` is read unasked. */
import { parseEnv } from "node:util";
import { AgentreeError } from "../../core/errors.ts";
import type { Credentials } from "../../models/provider/provider.ts";
import { credentialsIn } from "../../models/providers.ts";
import { type FileBounds, readBoundedText } from "../../models/user-files/bounded-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The file takes precedence over the environment, since it was named by hand. */
export function readCredentials(env: Environment, envFile: string | undefined): Credentials {
	return credentialsIn({ ...env, ...(envFile === undefined ? {} : readEnvFile(envFile)) });
}

/** A key may come from a pipe: `--env-file <(pass show keys)`. */
const ENV_FILE_BOUNDS: FileBounds = { maxBytes: 1024 * 1024, isRegular: false };

function readEnvFile(path: string): Environment {
	const notReadable = (why: string) => new AgentreeError("usage", `--env-file ${path}: cannot be read (${why})`);
	try {
		const read = readBoundedText(path, ENV_FILE_BOUNDS);
		if (read.is === "text") return parseEnv(read.text);
		throw notReadable(read.why);
	} catch (error) {
		throw error instanceof AgentreeError ? error : notReadable((error as NodeJS.ErrnoException).code ?? "error");
	}
}
