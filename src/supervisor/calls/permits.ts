/** Permits for calls to a service: keeps the calls that wait and the clock for the rate limiter, which decides and is pure. */
import type { Timer } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import type { RateLimit } from "../../core/model.ts";
import type { Usage } from "../../core/usage.ts";
import {
	newRateLimiter,
	type RateLimiterEvent,
	type Slowed,
	spentWaits,
	stepRateLimiter,
	type Wanting,
} from "./rate-limiter.ts";

/** `withdrawn`: the call was cancelled. `spent`: the service let no call of the tree through for as long as one may be tried. */
export type Permission = { is: "granted"; id: number } | { is: "withdrawn" } | { is: "spent"; reason: string };

export class Permits {
	private rateLimiter;
	private readonly deps: { timer: Timer; retryTimeMs: number; onSlowed: (slowed: Slowed) => void };
	private readonly waiting = new Map<number, (permission: Permission) => void>();
	private lastId = 0;
	private lastRefusal = "";
	private callOff = () => {};

	/** `pauseMs`: as in RateLimiter. */
	constructor(deps: { timer: Timer; pauseMs: number; retryTimeMs: number; onSlowed: (slowed: Slowed) => void }) {
		this.deps = deps;
		this.rateLimiter = newRateLimiter(deps.pauseMs);
	}

	/** Resolves when the call may be made; each permit that was granted is to be given back with `over`. */
	take(wanting: Omit<Wanting, "id">, signal: AbortSignal): Promise<Permission> {
		if (signal.aborted) return Promise.resolve({ is: "withdrawn" });
		this.lastId += 1;
		const id = this.lastId;
		return new Promise((resolve) => {
			const withdraw = () => this.dismiss(id, { is: "withdrawn" });
			signal.addEventListener("abort", withdraw, { once: true });
			this.waiting.set(id, (permission) => {
				signal.removeEventListener("abort", withdraw);
				resolve(permission);
			});
			this.dispatch({ is: "wanted", call: { ...wanting, id } });
		});
	}

	accepted(id: number, limits: readonly RateLimit[]): void {
		this.dispatch({ is: "accepted", id, limits });
	}

	refused(id: number, reason: string, afterMs: number | undefined): void {
		this.lastRefusal = reason;
		this.dispatch({ is: "refused", id, reason, afterMs });
	}

	over(id: number, usage?: Usage): void {
		this.dispatch({ is: "over", id, ...defined({ usage }) });
	}

	pausedMs(): number {
		return Math.max(0, this.rateLimiter.pausedUntil - this.deps.timer.elapsed());
	}

	private dispatch(event: RateLimiterEvent): void {
		const { timer, onSlowed, retryTimeMs } = this.deps;
		const now = timer.elapsed();
		const { rateLimiter, granted, slowed, wakeAt } = stepRateLimiter(this.rateLimiter, event, now);
		this.rateLimiter = rateLimiter;
		this.callOff();
		const { refusedSince, waiting } = rateLimiter;
		const spentAt = waiting.map(({ since }) => Math.max(since, refusedSince ?? Number.POSITIVE_INFINITY) + retryTimeMs);
		const nextAt = Math.min(wakeAt ?? Number.POSITIVE_INFINITY, ...spentAt);
		this.callOff = Number.isFinite(nextAt) ? timer.after(Math.max(0, nextAt - now), () => this.wake()) : () => {};
		for (const id of granted) this.settle(id, { is: "granted", id });
		if (slowed !== undefined) onSlowed(slowed);
	}

	private wake(): void {
		const spent = spentWaits(this.rateLimiter, this.deps.timer.elapsed(), this.deps.retryTimeMs);
		for (const id of spent) this.dismiss(id, { is: "spent", reason: this.lastRefusal });
		if (spent.length === 0) this.dispatch({ is: "time_passed" });
	}

	private dismiss(id: number, permission: Permission): void {
		this.settle(id, permission);
		this.dispatch({ is: "over", id });
	}

	private settle(id: number, permission: Permission): void {
		const resolve = this.waiting.get(id);
		this.waiting.delete(id);
		resolve?.(permission);
	}
}
