/**
 * The service's rate limits, as each answer reports what is left of them. When nothing is left of one, no call starts until
 * the limit is full again; when less is left than calls are wanted, the calls are spread over that time. Pure.
 */
import type { RateLimit } from "../../core/model/model.ts";
import type { Usage } from "../../core/model/usage.ts";

/** A rate limit. `left`: how many more calls it allows; `resetAt`: when it is full again. */
interface Left {
	readonly what: RateLimit["what"];
	readonly left: number;
	readonly resetAt: number;
}

export interface ServiceQuota {
	readonly limits: readonly Left[];
	/** Tokens of an average call as limits count them, without those read from the cache. Undefined before the first answer. */
	readonly mean: { readonly input: number; readonly output: number } | undefined;
}

export const NO_QUOTA: ServiceQuota = { limits: [], mean: undefined };

const NEWEST_SHARE = 0.3;
const MAX_STOP_MS = 300_000;

/**
 * The quota after an answer that reports `limits`. `younger`: how many calls were started after the answered one, which the
 * service may not have counted yet.
 */
export function quotaAfter(
	{ limits: before, mean }: ServiceQuota,
	limits: readonly RateLimit[],
	{ younger, now }: { younger: number; now: number },
): ServiceQuota {
	const known = limits.map(({ what, remaining, resetMs }): Left => {
		const left = Math.floor(remaining / tokensOf(what, mean)) - younger;
		return { what, left: remaining <= 0 ? 0 : Math.max(left, 0), resetAt: now + Math.min(resetMs, MAX_STOP_MS) };
	});
	const others = before.filter(({ what, resetAt }) => resetAt > now && !limits.some((limit) => limit.what === what));
	return { limits: [...others, ...known], mean };
}

/** The quota with the tokens of one more call in its averages. */
export function meanTokensAfter(quota: ServiceQuota, { input, cacheWrite, output }: Usage): ServiceQuota {
	const next = { input: input + cacheWrite, output };
	const mixed = (old: number, newest: number) => old + NEWEST_SHARE * (newest - old);
	const { mean } = quota;
	if (mean === undefined) return { ...quota, mean: next };
	return { ...quota, mean: { input: mixed(mean.input, next.input), output: mixed(mean.output, next.output) } };
}

/** The quota after one more call has started. */
export function spentOne({ limits, mean }: ServiceQuota): ServiceQuota {
	return { limits: limits.map((limit) => ({ ...limit, left: Math.max(0, limit.left - 1) })), mean };
}

/** Until when no call may be made, and why; undefined when one may be made now. */
export function stopsUntil({ limits }: ServiceQuota, now: number): { at: number; reason: string } | undefined {
	const spent = limits.filter(({ left, resetAt }) => left < 1 && resetAt > now);
	const last = spent.sort((a, b) => b.resetAt - a.resetAt)[0];
	return last && { at: last.resetAt, reason: `the service has no ${WORDS[last.what]} left for now` };
}

/** The earliest time at which the next call may start. `demand`: how many calls are in flight or wait. */
export function mayStartAt(
	quota: ServiceQuota,
	{ demand, lastStartAt, now }: { demand: number; lastStartAt: number; now: number },
): number {
	const spread = quota.limits
		.filter(({ left, resetAt }) => left >= 1 && left < demand && resetAt > now)
		.map(({ left, resetAt }) => lastStartAt + (resetAt - lastStartAt) / (left + 1));
	return Math.max(stopsUntil(quota, now)?.at ?? now, ...spread);
}

const WORDS = { requests: "requests", tokens: "tokens", input: "input tokens", output: "output tokens" };

function tokensOf(what: RateLimit["what"], mean: ServiceQuota["mean"]): number {
	if (what === "requests") return 1;
	const { input, output } = mean ?? { input: 1, output: 1 };
	return Math.max(1, what === "input" ? input : what === "output" ? output : input + output);
}
