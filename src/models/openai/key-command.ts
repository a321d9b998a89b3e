/** Runs the command of a user that prints a key, such as that of a password manager. The key is shown nobody. */
import { AgentreeError } from "../../core/errors.ts";
import { absolutePath } from "../../core/machine/paths.ts";
import { keepSecrets } from "../../text/safe/keep-secrets.ts";
import { oneLine } from "../messages-api/failure.ts";

const WITHIN_MS = 60_000; // a person may have to unlock something
const MAX_CHARS = 64 * 1024;
const DRAIN_MS = 500; // what the shell has written is read by then

/** `place`: of the command in the configuration file. Throws AgentreeError("key_missing") when no key comes of it. */
export async function keyOfCommand(
	command: string,
	place: string,
	environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
	const output = await outputOf(command, environment);
	const lines = output.stdout.split("\n").map((line) => line.trim());
	const key = lines.find((line) => line !== "");
	const why = output.failure ?? (key === undefined ? "it printed nothing" : undefined);
	if (key === undefined || why !== undefined)
		throw new AgentreeError("key_missing", `${place} returned no key: ${withWords(why ?? "", output.stderr)}`);
	keepSecrets([key]);
	return key;
}

/**
 * The command is over with its shell, though a process that it leaves in the background holds its output. Its stdin is no pipe of
 * Node's, which is a socket: bash takes that for a login from elsewhere, and reads ~/.bashrc.
 */
async function outputOf(command: string, environment: Readonly<Record<string, string | undefined>>) {
	const { execa } = await import("execa");
	const child = execa("bash", ["-c", command], {
		...{ env: { ...environment, PATH: absolutePath(environment.PATH) }, extendEnv: false, reject: false },
		...{ stdin: "ignore", timeout: WITHIN_MS, killSignal: "SIGKILL", forceKillAfterDelay: false, maxBuffer: MAX_CHARS },
	});
	child.once("exit", () => {
		setTimeout(() => {
			child.stdout.destroy();
			child.stderr.destroy();
		}, DRAIN_MS).unref();
	});
	const { exitCode, signal, timedOut, isMaxBuffer, originalMessage, stdout = "", stderr = "" } = await child;
	const failure = timedOut
		? `it took more than ${WITHIN_MS / 1000} s`
		: isMaxBuffer
			? "it printed more than 64 KiB"
			: exitCode === 0
				? undefined
				: exitCode === undefined && signal === undefined
					? originalMessage
					: `it ended with ${exitCode ?? signal}`;
	return { failure, stdout, stderr };
}

function withWords(why: string, stderr: string): string {
	const words = oneLine(stderr);
	return words === "" ? why : `${why}: ${words}`;
}
