/** Runs the command of a user that prints a key, such as that of a password manager. The key is shown nobody. */
import { execFile } from "node:child_process";
import { AgentreeError } from "../../core/errors.ts";
import { keepSecrets } from "../../text/redact.ts";
import { oneLine } from "../messages-api/failure.ts";

const WITHIN_MS = 60_000; // a person may have to unlock something
const MAX_BYTES = 64 * 1024;

/** `place`: of the command in the configuration file. Throws AgentreeError("key_missing") when no key comes of it. */
export async function keyOfCommand(
	command: string,
	place: string,
	environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
	const options = { env: { ...environment }, timeout: WITHIN_MS, killSignal: "SIGKILL", maxBuffer: MAX_BYTES } as const;
	const { error, stdout, stderr } = await new Promise<{ error: Error | null; stdout: string; stderr: string }>(
		(resolve) => {
			const child = execFile("bash", ["-c", command], options, (error, stdout, stderr) =>
				resolve({ error, stdout, stderr }),
			);
			child.stdin?.end();
		},
	);
	const key = stdout.split("\n")[0]?.trim() ?? "";
	if (error === null && key !== "") {
		keepSecrets([key]);
		return key;
	}
	throw new AgentreeError("key_missing", `${place} gives no key: ${whyNot(error, stderr)}`);
}

function whyNot(error: Error | null, stderr: string): string {
	const words = oneLine(stderr);
	const { code, killed } = (error ?? {}) as { code?: unknown; killed?: boolean };
	if (killed) return `it took more than ${WITHIN_MS / 1000} s`;
	const how = error === null ? "it printed nothing" : `it ended with ${String(code)}`;
	return words === "" ? how : `${how}: ${words}`;
}
