/** The keys of one service: when one is refused or used up, the next one serves, or the last one is fetched anew. */

import type { ModelFailure } from "../../core/model/model.ts";

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
