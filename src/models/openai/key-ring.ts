/** The keys of one service: when one is refused or used up, the next one serves. */
import type { ModelFailure } from "../../core/model.ts";

export interface Key {
	readonly value: string;
	/** The variable, or the place in the configuration file, that it is from. */
	readonly from: string;
}

const USED_UP_MS = 60_000; // a service that does not say for how long a key has too many calls

/** In place of where a key is from, for a service that was sent none. */
export function noKeyPlace(host: string): string {
	return `the key_env of providers.${host}, since no key was sent`;
}

export class KeyRing {
	private readonly keys: readonly Key[];
	private readonly restsUntil = new Map<Key, number>();

	constructor(keys: readonly Key[]) {
		this.keys = keys;
	}

	/** The first key that may be used; when none may, that which rests the shortest. Undefined without any. */
	current(now: number): Key | undefined {
		const until = (key: Key) => Math.max(now, this.restsUntil.get(key) ?? now);
		return [...this.keys].sort((a, b) => until(a) - until(b))[0];
	}

	/**
	 * The failure of a call with the key. When it is the key's alone and another one is left, the same call may be made at once
	 * with that, and the run goes on.
	 */
	failed(failure: ModelFailure, key: Key | undefined, now: number): ModelFailure {
		const restMs = restOf(failure);
		if (key === undefined || restMs === undefined) return failure;
		this.restsUntil.set(key, now + restMs);
		const next = this.current(now);
		if (next === undefined || (this.restsUntil.get(next) ?? now) > now) return failure;
		const { stopsRun: _, ...own } = failure;
		const reason = `${failure.reason}; going on with ${next.from}`;
		return { ...own, reason, exitCode: 75, retry: { isRateLimit: false, afterMs: 0 } };
	}
}

/** For how long a key is of no use after this failure; undefined when it says nothing of the key. */
function restOf({ exitCode, stopsRun, retry }: ModelFailure): number | undefined {
	if (exitCode === 77 || stopsRun !== undefined) return Number.POSITIVE_INFINITY;
	return retry?.isRateLimit ? (retry.afterMs ?? USED_UP_MS) : undefined;
}
