/** The keys of one service: when one is refused or used up, the next one serves, or the last one is fetched anew. */

import { AgentreeError } from "../../core/errors.ts";
import { absolutePath } from "../../core/machine/paths.ts";
import type { ModelFailure } from "../../core/model/model.ts";
import { keepSecrets } from "../../text/safe/keep-secrets.ts";
import { oneLine } from "../protocol/failure.ts";

export interface Key {
	readonly value: string;
	/** The variable, or the place in the configuration file, that it is from. */
	readonly from: string;
}

export interface KeyRingHost {
	/** Fetches the last of the keys anew, which may be one that holds for a while only. */
	readonly fetchKey?: (() => Promise<string>) | undefined;
	readonly now: () => number;
}

const USED_UP_MS = 60_000; // a service that does not say for how long a key has too many calls
const KEY_HOLDS_MS = 30_000; // a new key that is refused is not fetched again and again

export class KeyRing {
	private keys: readonly Key[];
	private readonly host: KeyRingHost;
	private readonly restsUntil = new Map<Key, number>();
	private fetchedAt: number;
	/** Of calls that fail side by side the first one fetches the key, for all. */
	private fetching: Promise<boolean> | undefined;

	constructor(keys: readonly Key[], host: KeyRingHost) {
		this.keys = keys;
		this.host = host;
		this.fetchedAt = host.now();
	}

	/** The first key that may be used; when none may, that which rests the shortest. Undefined without any. */
	current(): Key | undefined {
		const now = this.host.now();
		const until = (key: Key) => Math.max(now, this.restsUntil.get(key) ?? now);
		return [...this.keys].sort((a, b) => until(a) - until(b))[0];
	}

	/**
	 * The failure of a call with the key. When it is the key's alone and another one is left, or a new one can be had, the same
	 * call may be made at once with that, and the run goes on.
	 */
	async failed(failure: ModelFailure, key: Key | undefined): Promise<ModelFailure> {
		const restMs = restOf(failure);
		if (key === undefined || restMs === undefined) return failure;
		const now = this.host.now();
		this.restsUntil.set(key, now + restMs);
		const next = this.current();
		if (next !== undefined && (this.restsUntil.get(next) ?? now) <= now)
			return immediateRetry(failure, `continuing with ${next.from}`);
		const isNew = failure.exitCode === 77 && (await this.fetched());
		return isNew ? immediateRetry(failure, "retried with a new key") : failure;
	}

	/** False when no new key is to be had. */
	private async fetched(): Promise<boolean> {
		const { fetchKey, now } = this.host;
		if (this.fetching !== undefined) return this.fetching;
		if (fetchKey === undefined || now() < this.fetchedAt + KEY_HOLDS_MS) return false;
		this.fetchedAt = now();
		this.fetching = fetchKey().then(
			(value) => this.renewLast(value),
			() => false,
		);
		const isNew = await this.fetching;
		this.fetching = undefined;
		return isNew;
	}

	private renewLast(value: string): true {
		this.keys = this.keys.map((key, at) => (at === this.keys.length - 1 ? { ...key, value } : key));
		return true;
	}
}

/** For how long a key is of no use after this failure; undefined when it says nothing of the key. */
function restOf({ exitCode, stopsRun, retry }: ModelFailure): number | undefined {
	if (exitCode === 77 || stopsRun !== undefined) return Number.POSITIVE_INFINITY;
	return retry?.isRateLimit ? (retry.afterMs ?? USED_UP_MS) : undefined;
}

/** The failure of a call that may be made again at once, in another way. */
export function immediateRetry({ is, usage, reason }: ModelFailure, how: string): ModelFailure {
	return {
		is,
		reason: `${reason}; ${how}`,
		usage,
		exitCode: 75,
		retry: { isRateLimit: false, afterMs: 0 },
	};
}

/** Runs the command of a user that prints a key, such as that of a password manager. The key is shown nobody. */

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
