/**
 * One rate limiter for all calls of the run that go to a service. A refusal pauses them all. It halves the number of calls
 * that may be in flight, which then grows by about one a round. Since a service also counts calls a second, the limiter keeps
 * a pace, too: a fifth below what the service let through, growing slowly. Refusals of calls that were made before the pace
 * was lowered show the same overload again: they lower nothing more, and only correct the measure of what was let through.
 */
import type { Timer } from "../../core/clock.ts";
import type { RateLimit } from "../../core/model/model.ts";
import type { Usage } from "../../core/model/usage.ts";

interface WantedCall {
	/** The depth of its agent: the deepest agents are nearest to finishing. */
	readonly depth: number;
	/** When its agent joined. */
	readonly joinedAt: number;
	/** Since when the call waits, from before its first attempt. */
	readonly since: number;
}

/** `withdrawn`: the call was cancelled. `expired`: the service has accepted no call of the run for the whole retry time. */
type Permission = { is: "granted"; id: number } | { is: "withdrawn" } | { is: "expired"; reason: string };

/** The run's calls were slowed: paused for `waitMs`, and then at most `maxCalls` at once. */
export interface Slowed {
	reason: string;
	waitMs: number;
	maxCalls: number;
}

interface RateLimiterDeps {
	readonly timer: Timer;
	/** The first pause after a refusal that names none. */
	readonly pauseMs: number;
	readonly retryTimeMs: number;
	readonly onSlowed: (slowed: Slowed) => void;
}

const MAX_PAUSE_MS = 30_000;
const MAX_ASKED_PAUSE_MS = 300_000;
const AGING_MS = 20_000; // a call that has waited this long counts as one level deeper
const MAX_STARTS = 1_000;

export class RateLimiter {
	private readonly deps: RateLimiterDeps;
	private readonly waiting = new Map<number, WantedCall & { readonly settle: (permission: Permission) => void }>();
	private readonly inFlight = new Map<number, { readonly startedAt: number; readonly epoch: number }>();
	/** How many calls may be in flight; a fraction, since it grows by parts of a call. */
	private maxCalls = Number.POSITIVE_INFINITY;
	private pace: Pace | undefined;
	private epoch = newEpoch(1);
	/** The previous epoch, whose refusals may still come in, and the pace before it ended. */
	private closed: { readonly epoch: Epoch; readonly before: Pace | undefined } | undefined;
	private lastStartAt = Number.NEGATIVE_INFINITY;
	private pausedUntil = Number.NEGATIVE_INFINITY;
	/** Since when every call was refused; undefined once one was accepted. */
	private refusedSince: number | undefined;
	private lastRefusal = "";
	/** How often the run was slowed down since the last call that was accepted. */
	private slowdownsInARow = 0;
	private readonly quota = new ServiceQuota();
	private lastId = 0;
	private callOff = () => {};

	constructor(deps: RateLimiterDeps) {
		this.deps = deps;
	}

	/** Resolves when the call may be made, or never will be. Each granted permit ends with `over`. */
	take(wanted: WantedCall, signal: AbortSignal): Promise<Permission> {
		if (signal.aborted) return Promise.resolve({ is: "withdrawn" });
		this.lastId += 1;
		const id = this.lastId;
		return new Promise((resolve) => {
			const withdraw = () => this.dismiss(id, { is: "withdrawn" });
			signal.addEventListener("abort", withdraw, { once: true });
			const settle = (permission: Permission) => {
				signal.removeEventListener("abort", withdraw);
				resolve(permission);
			};
			this.waiting.set(id, { ...wanted, settle });
			this.grant();
		});
	}

	/** The service has begun to answer. */
	accepted(id: number, limits: readonly RateLimit[]): void {
		const call = this.inFlight.get(id);
		if (call === undefined) return;
		const now = this.now();
		const younger = [...this.inFlight.values()].filter(({ startedAt }) => startedAt > call.startedAt).length;
		const wasUsedUp = this.quota.usedUp(now) !== undefined;
		this.quota.learn(limits, { younger, now });
		this.refusedSince = undefined;
		this.slowdownsInARow = 0;
		this.maxCalls += 1 / this.maxCalls;
		const usedUp = this.quota.usedUp(now);
		this.grant();
		if (usedUp !== undefined && !wasUsedUp) this.slowed(usedUp.reason, usedUp.until);
	}

	refused(id: number, reason: string, afterMs?: number): void {
		this.lastRefusal = reason;
		const call = this.inFlight.get(id);
		if (call === undefined) return;
		const now = this.now();
		const wereInFlight = this.inFlight.size;
		this.inFlight.delete(id);
		this.refusedSince ??= now;
		const isNew = call.epoch === this.epoch.number;
		if (!isNew) this.refineClosed(call.epoch, now);
		if (isNew || afterMs !== undefined) this.pausedUntil = Math.max(this.pausedUntil, now + this.pauseFor(afterMs));
		if (isNew) {
			this.maxCalls = Math.max(1, Math.floor(Math.min(this.maxCalls, wereInFlight) / 2));
			this.closeEpoch(now);
			this.slowdownsInARow += 1;
		}
		this.grant();
		if (isNew) this.slowed(reason, this.pausedUntil);
	}

	/** The call has ended. */
	over(id: number, usage?: Usage): void {
		this.inFlight.delete(id);
		if (usage !== undefined) this.quota.count(usage);
		this.grant();
	}

	/** How long all calls are still paused; 0 when they are not. */
	pausedMs(): number {
		return Math.max(0, this.pausedUntil - this.now());
	}

	private now(): number {
		return this.deps.timer.elapsed();
	}

	private pauseFor(askedMs: number | undefined): number {
		if (askedMs !== undefined) return Math.min(askedMs, MAX_ASKED_PAUSE_MS);
		return Math.min(MAX_PAUSE_MS, this.deps.pauseMs * 2 ** Math.min(this.slowdownsInARow, 30));
	}

	private slowed(reason: string, until: number): void {
		const maxCalls = Math.floor(Math.min(this.maxCalls, Math.max(1, this.waiting.size + this.inFlight.size)));
		this.deps.onSlowed({ reason, waitMs: Math.max(0, Math.round(until - this.now())), maxCalls });
	}

	private closeEpoch(now: number): void {
		const { epoch } = this;
		const before = grownPace(this.pace, epoch.starts.length, now);
		Object.assign(epoch, { refused: 1, endedAt: now });
		this.closed = { epoch, before };
		this.pace = paceAfter(epoch, before, this.pausedUntil);
		this.epoch = newEpoch(epoch.number + 1);
	}

	/** Counts one more refusal of a call from the previous epoch: only the pace is computed again. */
	private refineClosed(number: number, now: number): void {
		const { closed } = this;
		if (closed?.epoch.number !== number) return;
		closed.epoch.refused += 1;
		this.pace = paceAfter(closed.epoch, closed.before, Math.max(this.pausedUntil, now));
	}

	/** Lets calls begin that may, and looks again when the next one may, or when one has waited too long. */
	private grant(): void {
		const now = this.now();
		const nextAt = Math.min(this.grantUntil(now), ...[...this.waiting.values()].map((call) => this.expiresAt(call)));
		this.callOff();
		this.callOff = Number.isFinite(nextAt)
			? this.deps.timer.after(Math.max(0, nextAt - now), () => this.wake())
			: () => {};
	}

	/**
	 * Calls of the deepest agents first, then of the oldest. Each 20 s of waiting raise a call by one level, so none starves. Gives the time
	 * at which the next one may begin; infinity when that depends on others.
	 */
	private grantUntil(now: number): number {
		const level = ({ depth, since }: WantedCall) => depth + Math.floor((now - since) / AGING_MS);
		const order = [...this.waiting].sort(
			([idA, a], [idB, b]) => level(b) - level(a) || a.joinedAt - b.joinedAt || idA - idB,
		);
		for (const [id, { settle }] of order) {
			if (this.inFlight.size >= Math.floor(this.maxCalls)) return Number.POSITIVE_INFINITY;
			const startAt = this.earliestStart(now);
			if (startAt > now) return startAt;
			this.waiting.delete(id);
			this.inFlight.set(id, { startedAt: now, epoch: this.epoch.number });
			this.epoch.starts.push(now);
			if (this.epoch.starts.length > MAX_STARTS) this.epoch.starts.shift();
			this.lastStartAt = now;
			this.quota.spendOne();
			settle({ is: "granted", id });
		}
		return Number.POSITIVE_INFINITY;
	}

	private earliestStart(now: number): number {
		const { lastStartAt } = this;
		const pace = grownPace(this.pace, this.epoch.starts.length, now);
		const paced = pace === undefined ? lastStartAt : lastStartAt + 1000 / pace.perSecond;
		const demand = this.waiting.size + this.inFlight.size;
		return Math.max(this.pausedUntil, paced, this.quota.mayStartAt({ demand, lastStartAt, now }));
	}

	/** When a waiting call fails: every call of the run was refused for the whole retry time, while it waited. */
	private expiresAt({ since }: WantedCall): number {
		return Math.max(since, this.refusedSince ?? Number.POSITIVE_INFINITY) + this.deps.retryTimeMs;
	}

	private wake(): void {
		const now = this.now();
		const expired = [...this.waiting].filter(([, call]) => this.expiresAt(call) <= now);
		for (const [id] of expired) this.dismiss(id, { is: "expired", reason: this.lastRefusal });
		if (expired.length === 0) this.grant();
	}

	private dismiss(id: number, permission: Permission): void {
		this.waiting.get(id)?.settle(permission);
		this.waiting.delete(id);
		this.grant();
	}
}

/** The pace: how many calls a second the run makes, from what the service was seen to let through. */

/** A pace as it was at the time `since`. From then on it grows, with each call and with time. */
interface Pace {
	readonly perSecond: number;
	readonly since: number;
}

/** The time between two refusals that slowed the run down, with the calls that were started in it. */
interface Epoch {
	readonly number: number;
	readonly starts: number[];
	refused: number;
	/** The time of the first refusal, which ended the epoch. */
	endedAt: number;
}

const LEAST_PER_SECOND = 0.1;
const SAFE_SHARE = 0.8; // of what the service let through: a little less is not refused again at once
const WINDOW_MS = 5_000; // the last part of an epoch, which shows its pace: idle time before it does not count
const LEAST_WINDOW_MS = 1_000;
const LEAST_CALLS = 3;
const LEAST_RUSH_PER_SECOND = 1;
const GROWTH_PER_CALL = 0.01; // by calls, not by time: at any pace, the same share of calls is refused
const FAST_CALLS = 100; // the square term doubles the pace after this many calls
const FAST_MS = 120_000; // and after this time, for a run that makes few calls

/** An epoch that begins now. */
function newEpoch(number: number): Epoch {
	return { number, starts: [], refused: 0, endedAt: 0 };
}

/**
 * The pace after a refusal has ended an epoch. An epoch without an accepted call teaches nothing: the service may be down,
 * with its limit not reached. One with few calls, as of a single agent, does not show how many would have been accepted.
 */
function paceAfter({ starts, refused, endedAt }: Epoch, before: Pace | undefined, since: number): Pace | undefined {
	const recent = starts.filter((at) => at > endedAt - WINDOW_MS);
	if (recent.length <= refused) return before && { ...before, since };
	const rushMs = endedAt - (recent[0] ?? endedAt);
	const isRush = recent.length >= LEAST_CALLS && recent.length / rushMs >= LEAST_RUSH_PER_SECOND / 1000;
	if (before === undefined && !isRush) return undefined;
	const wasHeldByPace = before === undefined || recent.length / rushMs >= before.perSecond / 2 / 1000;
	const spanSeconds = Math.max(LEAST_WINDOW_MS, rushMs) / 1000;
	const letThrough = wasHeldByPace ? (recent.length - refused) / spanSeconds : Number.POSITIVE_INFINITY;
	const perSecond = SAFE_SHARE * Math.min(before?.perSecond ?? Number.POSITIVE_INFINITY, letThrough);
	return { perSecond: Math.max(LEAST_PER_SECOND, perSecond), since };
}

/** The pace now. `calls`: how many calls were made since the pace was set. */
function grownPace(pace: Pace | undefined, calls: number, now: number): Pace | undefined {
	if (pace === undefined || now <= pace.since) return pace;
	const growth = calls * GROWTH_PER_CALL + (calls / FAST_CALLS) ** 2 + ((now - pace.since) / FAST_MS) ** 2;
	return { perSecond: pace.perSecond * (1 + growth), since: now };
}

/** A rate limit. `left`: how many more calls it allows; `resetAt`: when it is full again. */
interface Left {
	readonly what: RateLimit["what"];
	left: number;
	readonly resetAt: number;
}

const NEWEST_SHARE = 0.3;
const MAX_STOP_MS = 300_000;
const WORDS = { requests: "requests", tokens: "tokens", input: "input tokens", output: "output tokens" };

/**
 * The service's rate limits, as each answer reports what is left of them. When nothing is left of one, no call starts until the limit is full
 * again; when less is left than calls are wanted, the calls are spread over that time.
 */
class ServiceQuota {
	private limits: Left[] = [];
	/** Tokens of an average call as limits count them, without those read from the cache. */
	private mean: { readonly input: number; readonly output: number } | undefined;

	/** `younger`: how many calls were started after the one that reports, which the service may not have counted yet. */
	learn(reported: readonly RateLimit[], { younger, now }: { younger: number; now: number }): void {
		const others = this.limits.filter(
			({ what, resetAt }) => resetAt > now && !reported.some((limit) => limit.what === what),
		);
		const known = reported.map(({ what, remaining, resetMs }): Left => {
			const left = Math.floor(remaining / this.tokensOf(what)) - younger;
			return { what, left: remaining <= 0 ? 0 : Math.max(left, 0), resetAt: now + Math.min(resetMs, MAX_STOP_MS) };
		});
		this.limits = [...others, ...known];
	}

	/** One more call has ended. */
	count({ input, cacheWrite, output }: Usage): void {
		const newest = { input: input + cacheWrite, output };
		const mixed = (old: number, next: number) => old + NEWEST_SHARE * (next - old);
		const { mean = newest } = this;
		this.mean = { input: mixed(mean.input, newest.input), output: mixed(mean.output, newest.output) };
	}

	/** One more call has started. */
	spendOne(): void {
		for (const limit of this.limits) limit.left = Math.max(0, limit.left - 1);
	}

	/** Until when no call may be made, and why; undefined when one may be made now. */
	usedUp(now: number): { until: number; reason: string } | undefined {
		const spent = this.limits.filter(({ left, resetAt }) => left < 1 && resetAt > now);
		const last = spent.sort((a, b) => b.resetAt - a.resetAt)[0];
		return last && { until: last.resetAt, reason: `the service has no ${WORDS[last.what]} left for now` };
	}

	/** The earliest time at which the next call may start. `demand`: how many calls are in flight or wait. */
	mayStartAt({ demand, lastStartAt, now }: { demand: number; lastStartAt: number; now: number }): number {
		const spread = this.limits
			.filter(({ left, resetAt }) => left >= 1 && left < demand && resetAt > now)
			.map(({ left, resetAt }) => lastStartAt + (resetAt - lastStartAt) / (left + 1));
		return Math.max(this.usedUp(now)?.until ?? now, ...spread);
	}

	private tokensOf(what: RateLimit["what"]): number {
		if (what === "requests") return 1;
		const { input, output } = this.mean ?? { input: 1, output: 1 };
		return Math.max(1, what === "input" ? input : what === "output" ? output : input + output);
	}
}
