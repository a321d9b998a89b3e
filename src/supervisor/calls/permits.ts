/** Permits for calls to the service, as the governor gives them; its clock is here, and who waits. */
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

export interface Timer {
	now(): number;
	/** Gives what calls it off. */
	after(ms: number, then: () => void): () => void;
}

/** `withdrawn`: the call is not wanted any more. `spent`: for all that time no call of the tree was let through. */
export type Permission = { is: "granted"; id: number } | { is: "withdrawn" } | { is: "spent"; reason: string };

export class Permits {
	private rateLimiter;
	private readonly facts: { timer: Timer; retryTimeMs: number; onSlowed: (slowed: Slowed) => void };
	private readonly waiting = new Map<number, (permission: Permission) => void>();
	private lastId = 0;
	private lastRefusal = "";
	private callOff = () => {};

	/** `pauseMs`: see Governor. */
	constructor(facts: { timer: Timer; pauseMs: number; retryTimeMs: number; onSlowed: (slowed: Slowed) => void }) {
		this.facts = facts;
		this.rateLimiter = newRateLimiter(facts.pauseMs);
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
		this.dispatch({ is: "over", id, ...(usage && { usage }) });
	}

	pausedMs(): number {
		return Math.max(0, this.rateLimiter.pausedUntil - this.facts.timer.now());
	}

	private dispatch(event: RateLimiterEvent): void {
		const { timer, onSlowed, retryTimeMs } = this.facts;
		const now = timer.now();
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
		const spent = spentWaits(this.rateLimiter, this.facts.timer.now(), this.facts.retryTimeMs);
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
