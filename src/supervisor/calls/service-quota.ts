/**
 * What is left of the service's rate limits, as it says with each answer before it has to refuse anything. When nothing is
 * left, no call starts until the limit is full again; when less is left than calls are wanted, they are spread over that
 * time. Pure.
 */
import type { RateLimit } from "../../core/model.ts";
import type { Usage } from "../../core/usage.ts";

/** A rate limit, with what is left of it in calls. */
interface Left {
	readonly what: RateLimit["what"];
	readonly left: number;
	readonly resetAt: number;
}

export interface ServiceQuota {
	readonly limits: readonly Left[];
	/** Tokens of an average call as a limit counts them, so without those read from the cache. Undefined before the first call. */
	readonly mean: { readonly input: number; readonly output: number } | undefined;
}

export const NO_QUOTA: ServiceQuota = { limits: [], mean: undefined };

const NEWEST_SHARE = 0.3;
const MAX_STOP_MS = 300_000;

/** `younger`: how many calls were started after the one that brought `limits`; the service may not have counted them yet. */
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

export function meanTokensAfter(quota: ServiceQuota, { input, cacheWrite, output }: Usage): ServiceQuota {
	const next = { input: input + cacheWrite, output };
	const mixed = (old: number, newest: number) => old + NEWEST_SHARE * (newest - old);
	const { mean } = quota;
	if (mean === undefined) return { ...quota, mean: next };
	return { ...quota, mean: { input: mixed(mean.input, next.input), output: mixed(mean.output, next.output) } };
}

export function spentOne({ limits, mean }: ServiceQuota): ServiceQuota {
	return { limits: limits.map((limit) => ({ ...limit, left: Math.max(0, limit.left - 1) })), mean };
}

/** Until when no call may be made, and why; undefined when one may be made now. */
export function stopsUntil({ limits }: ServiceQuota, now: number): { at: number; reason: string } | undefined {
	const spent = limits.filter(({ left, resetAt }) => left < 1 && resetAt > now);
	const last = spent.sort((a, b) => b.resetAt - a.resetAt)[0];
	return last && { at: last.resetAt, reason: `the service has no ${WORDS[last.what]} left for now` };
}

/** When the next call may start. `demand`: how many calls are in flight or wait. */
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
