/**
 * A slot is the right to be active. An agent whose command has living child agents lends its slot: its first waiting child
 * starts at once in it. Afterwards the agent gets a slot back ahead of agents that have not started. So every slot is held
 * by an agent that can continue by itself, and a run cannot deadlock, even with one slot and any depth.
 */

import { type AgentId, parentOf, ROOT, withAncestors } from "../../core/model/agent.ts";

/** How many agents at and below an agent may be active at once. */
export type MaxConcurrencyOf = (id: AgentId) => number;

export interface WaitingForSlot {
	readonly agent: AgentId;
	/** The agent has been active before, so it goes ahead of agents that have not. */
	readonly isReturning: boolean;
}

/** The agents that hold a slot and those that wait for one. The queue is read only when a slot may have become free. */
export class Slots {
	private readonly holders = new Set<AgentId>();
	private readonly activeCounts = new SubtreeCounts();
	/** Waiting agents that have been active before, in the order of asking. */
	private readonly returning = new Set<AgentId>();
	/** Waiting agents that have not been active yet, in the order of asking. */
	private readonly beginning = new Set<AgentId>();
	/** The waiting agents by their parent, in the order of asking. */
	private readonly waitingBelow = new Map<AgentId, Set<AgentId>>();
	/** All free slots were granted, and since then no agent has asked for a slot or given one back. */
	private isHandedOut = false;

	get active(): ReadonlySet<AgentId> {
		return this.holders;
	}

	/** The waiting agents, in the order in which slots are granted. */
	get waiting(): WaitingForSlot[] {
		return [
			...[...this.returning].map((agent) => ({ agent, isReturning: true })),
			...[...this.beginning].map((agent) => ({ agent, isReturning: false })),
		];
	}

	/** The waiting children of `parent`, in the order of asking. */
	childrenWaiting(parent: AgentId): Iterable<AgentId> {
		return this.waitingBelow.get(parent) ?? [];
	}

	/** Asks for a slot. Nothing changes when the agent has a slot or waits for one already. */
	request(agent: AgentId, isReturning: boolean): void {
		if (this.holders.has(agent) || this.isWaiting(agent)) return;
		this.isHandedOut = false;
		(isReturning ? this.returning : this.beginning).add(agent);
		const parent = parentOf(agent) ?? "";
		this.waitingBelow.set(parent, (this.waitingBelow.get(parent) ?? new Set()).add(agent));
	}

	/** How many may be active is another number now. */
	boundsChanged(): void {
		this.isHandedOut = false;
	}

	/** Gives the agent's slot back, or withdraws its request; releasing twice changes nothing. */
	release(agent: AgentId): void {
		if (this.holders.delete(agent)) {
			this.activeCounts.add(agent, -1);
			this.isHandedOut = false;
		}
		this.withdraw(agent);
	}

	/**
	 * Moves the lender's slot to a child that waits for one. A lender that only waits for a slot stops waiting: it would hold
	 * the slot until its children end, and they might be waiting for that very slot.
	 */
	lend(lender: AgentId, child: AgentId | undefined, maxConcurrencyOf: MaxConcurrencyOf): void {
		const hasSlot = this.holders.has(lender);
		this.release(lender);
		if (hasSlot && child !== undefined && this.isWaiting(child) && this.mayBeActive(child, maxConcurrencyOf))
			this.give(child);
	}

	/** Grants free slots to waiting agents, all or those that `mayBegin`; returns the agents that got one. */
	grant(maxConcurrencyOf: MaxConcurrencyOf, mayBegin?: (agent: AgentId) => boolean): AgentId[] {
		const granted: AgentId[] = [];
		if (this.isHandedOut) return granted;
		this.isHandedOut = mayBegin === undefined;
		for (const queue of [this.returning, this.beginning]) {
			for (const agent of queue) {
				if (this.activeCounts.within(ROOT) >= maxConcurrencyOf(ROOT)) return granted;
				if (mayBegin?.(agent) === false || !this.mayBeActive(agent, maxConcurrencyOf)) continue;
				this.give(agent);
				granted.push(agent);
			}
		}
		return granted;
	}

	private isWaiting(agent: AgentId): boolean {
		return this.returning.has(agent) || this.beginning.has(agent);
	}

	private give(agent: AgentId): void {
		this.withdraw(agent);
		this.holders.add(agent);
		this.activeCounts.add(agent, 1);
	}

	private withdraw(agent: AgentId): void {
		if (!this.returning.delete(agent) && !this.beginning.delete(agent)) return;
		const parent = parentOf(agent) ?? "";
		const siblings = this.waitingBelow.get(parent);
		siblings?.delete(agent);
		if (siblings?.size === 0) this.waitingBelow.delete(parent);
	}

	private mayBeActive(agent: AgentId, maxConcurrencyOf: MaxConcurrencyOf): boolean {
		return withAncestors(agent).every((holder) => this.activeCounts.within(holder) < maxConcurrencyOf(holder));
	}
}

/** How many of something there are at and below each agent. */
export class SubtreeCounts {
	private readonly counts = new Map<AgentId, number>();

	add(agent: AgentId, by: 1 | -1): void {
		for (const id of withAncestors(agent)) {
			const count = this.within(id) + by;
			if (count === 0) this.counts.delete(id);
			else this.counts.set(id, count);
		}
	}

	within(agent: AgentId): number {
		return this.counts.get(agent) ?? 0;
	}
}
