/**
 * What the service is known to have in its cache of an agent's prompt, going by the usage of the agent's newest answer. The
 * cache may be lost at any time. A call that did not read what was expected is a miss, and nothing is taken for cached after it
 * until a call has read what the one before it wrote. So a service without a working cache costs one miss, not one a call.
 */
import type { Usage } from "../../../core/model/usage.ts";
import { CACHE_KEPT_MS } from "../../../models/provider/model-facts.ts";

/** The beginning of a prompt, which is cached until a time, in milliseconds since the epoch. */
export interface CachedPrefix {
	readonly tokens: number;
	readonly until: number;
}

export interface PromptCache extends CachedPrefix {
	/** The newest call read less than was expected. */
	readonly isMissed: boolean;
}

const MARGIN_MS = 15_000; // a call waits for its turn at the service, and clocks differ
const HIT_SHARE = 0.9; // of what was expected

/** The cache after an answer. `startedAt`: when its call started, since a long answer does not prolong what its prompt keeps. */
export function cacheAfter(before: PromptCache | undefined, usage: Usage, startedAt: number): PromptCache {
	const expected = before !== undefined && startedAt < before.until ? before.tokens : 0;
	return {
		tokens: usage.cacheRead + usage.cacheWrite,
		until: startedAt + CACHE_KEPT_MS - MARGIN_MS,
		isMissed: usage.cacheRead < HIT_SHARE * expected,
	};
}

/** True when the service was seen to cache the agent's prompts, although they may have expired since. */
export function isProven(cache: PromptCache | undefined): boolean {
	return cache !== undefined && !cache.isMissed && cache.tokens > 0;
}

/** What a call that starts now will read from the cache; undefined when nothing is known to be there. */
export function prefixCachedAt(cache: PromptCache | undefined, now: number): CachedPrefix | undefined {
	if (cache === undefined || !isProven(cache) || now >= cache.until) return undefined;
	return { tokens: cache.tokens, until: cache.until };
}
