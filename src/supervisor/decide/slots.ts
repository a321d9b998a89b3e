/**
 * A slot is the right to be active. An agent whose command has living child agents lends its slot: the first child
 * starts at once in it. Afterwards the agent gets one back ahead of agents that have not started. So every slot is
 * with an agent that can go on by itself, and a run cannot deadlock, even with one slot and any depth.
 */
import { type AgentId, parentOf, ROOT, withAncestors } from "../../core/agent.ts";
import { SubtreeCounts } from "./subtree-counts.ts";

/** The limit that binds an agent and all below it. */
export type MaxConcurrencyOf = (id: AgentId) => number;

export interface WaitingForSlot {
	readonly agent: AgentId;
	/** It has been active before: goes ahead of those that have not. */
	readonly isReturning: boolean;
}

/** Who has a slot and who waits for one. The queue is read only while a slot is free that was not before. */
export class Slots {
	private readonly holders = new Set<AgentId>();
	private readonly activeCounts = new SubtreeCounts();
	/** Both in the order of asking. */
	private readonly returning = new Set<AgentId>();
	private readonly beginning = new Set<AgentId>();
	/** Those that wait, by their parent, in the order of asking. */
	private readonly waitingBelow = new Map<AgentId, Set<AgentId>>();
	/** Since what is free was handed out, nobody has asked for a slot and none was given back. */
	private isHandedOut = false;

	get active(): ReadonlySet<AgentId> {
		return this.holders;
	}

	/** In the order in which slots are given out. */
	get waiting(): WaitingForSlot[] {
		return [
			...[...this.returning].map((agent) => ({ agent, isReturning: true })),
			...[...this.beginning].map((agent) => ({ agent, isReturning: false })),
		];
	}

	/** Children of `parent` that wait, in the order of asking. */
	childrenWaiting(parent: AgentId): Iterable<AgentId> {
		return this.waitingBelow.get(parent) ?? [];
	}

	/** Asks for a slot. An agent that has one or is waiting already changes nothing. */
	request(agent: AgentId, isReturning: boolean): void {
		if (this.holders.has(agent) || this.isWaiting(agent)) return;
		this.isHandedOut = false;
		(isReturning ? this.returning : this.beginning).add(agent);
		const parent = parentOf(agent) ?? "";
		this.waitingBelow.set(parent, (this.waitingBelow.get(parent) ?? new Set()).add(agent));
	}

	/** Gives the slot back, or withdraws the request; releasing twice changes nothing. */
	release(agent: AgentId): void {
		if (this.holders.delete(agent)) {
			this.activeCounts.add(agent, -1);
			this.isHandedOut = false;
		}
		this.withdraw(agent);
	}

	/**
	 * Moves the lender's slot to a child that waits for one. A lender that only waits for a slot waits no more: given one,
	 * it would sit on it until its children end, and they might be waiting for that very slot.
	 */
	lend(lender: AgentId, child: AgentId | undefined, maxConcurrencyOf: MaxConcurrencyOf): void {
		const hasSlot = this.holders.has(lender);
		this.release(lender);
		if (hasSlot && child !== undefined && this.isWaiting(child) && this.mayBeActive(child, maxConcurrencyOf))
			this.give(child);
	}

	/** Hands out what is free, to all or to those that `mayBegin`. */
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
