/** Permits for calls to a service. The rate limiter decides; here are the waiting calls and the timer, since it is pure. */
import type { Timer } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import type { Model, RateLimit } from "../../core/model/model.ts";
import type { Usage } from "../../core/model/usage.ts";
import {
	expiredWaits,
	newRateLimiter,
	type RateLimiterEvent,
	type Slowed,
	stepRateLimiter,
	type WaitingCall,
} from "./rate-limiter.ts";

/** `withdrawn`: the call was cancelled. `expired`: the service has accepted no call of the run for the whole retry time. */
type PermitOutcome = { is: "granted"; id: number } | { is: "withdrawn" } | { is: "expired"; reason: string };

export class Permits {
	private rateLimiter;
	private readonly deps: { timer: Timer; retryTimeMs: number; onSlowed: (slowed: Slowed) => void };
	private readonly waiting = new Map<number, (permission: PermitOutcome) => void>();
	private lastId = 0;
	private lastRefusal = "";
	private callOff = () => {};

	/** `pauseMs`: the first pause after a refusal that names none. */
	constructor(deps: { timer: Timer; pauseMs: number; retryTimeMs: number; onSlowed: (slowed: Slowed) => void }) {
		this.deps = deps;
		this.rateLimiter = newRateLimiter(deps.pauseMs);
	}

	/** Resolves when the call may be made, or never will be. A granted permit must be given back with `over`. */
	take(wanting: Omit<WaitingCall, "id">, signal: AbortSignal): Promise<PermitOutcome> {
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

	/** How long all calls are still paused; 0 when they are not. */
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
		const expiresAt = waiting.map(
			({ since }) => Math.max(since, refusedSince ?? Number.POSITIVE_INFINITY) + retryTimeMs,
		);
		const nextAt = Math.min(wakeAt ?? Number.POSITIVE_INFINITY, ...expiresAt);
		this.callOff = Number.isFinite(nextAt) ? timer.after(Math.max(0, nextAt - now), () => this.wake()) : () => {};
		for (const id of granted) this.settle(id, { is: "granted", id });
		if (slowed !== undefined) onSlowed(slowed);
	}

	private wake(): void {
		const expired = expiredWaits(this.rateLimiter, this.deps.timer.elapsed(), this.deps.retryTimeMs);
		for (const id of expired) this.dismiss(id, { is: "expired", reason: this.lastRefusal });
		if (expired.length === 0) this.dispatch({ is: "time_passed" });
	}

	private dismiss(id: number, permission: PermitOutcome): void {
		this.settle(id, permission);
		this.dispatch({ is: "over", id });
	}

	private settle(id: number, permission: PermitOutcome): void {
		const resolve = this.waiting.get(id);
		this.waiting.delete(id);
		resolve?.(permission);
	}
}

/** A service that calls go to, and what is known of it from all calls of the run. */
export interface CalledService {
	readonly permits: Permits;
	/** It has answered, well or not. */
	isKnown: boolean;
	/** It has begun to answer a call as it should: the key is good. */
	hasAnswered: boolean;
	/** What it refuses for good ends the run. When false, other agents of the run do without it. */
	readonly isNeeded: () => boolean;
}

/** `service`: absent for a model whose calls go to none. */
export interface OpenModel {
	readonly model: Model;
	readonly service?: CalledService;
}
