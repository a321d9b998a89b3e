/**
 * A slot is the right to be active. An agent whose command has living child agents lends its slot: the first child
 * starts at once in it. Afterwards the agent gets one back ahead of agents that have not started. So every slot is
 * with an agent that can go on by itself, and a run cannot deadlock, even with one slot and any depth.
 */
import { type AgentId, isWithin, withAncestors } from "../../core/agent.ts";

export interface WaitingForSlot {
	readonly agent: AgentId;
	/** It has been active before: goes ahead of those that have not. */
	readonly isReturning: boolean;
}

export interface Slots {
	readonly active: readonly AgentId[];
	/** In the order of asking. */
	readonly waiting: readonly WaitingForSlot[];
}

export const NO_SLOTS: Slots = { active: [], waiting: [] };

/** Asks for a slot. An agent that has one or is waiting already changes nothing. */
export function requestSlot(slots: Slots, agent: AgentId, isReturning: boolean): Slots {
	if (slots.active.includes(agent) || slots.waiting.some((other) => other.agent === agent)) return slots;
	return { ...slots, waiting: [...slots.waiting, { agent, isReturning }] };
}

/** Gives the slot back, or withdraws the request; releasing twice changes nothing. */
export function releaseSlot(slots: Slots, agent: AgentId): Slots {
	return {
		active: slots.active.filter((other) => other !== agent),
		waiting: slots.waiting.filter((other) => other.agent !== agent),
	};
}

/** The limit that binds an agent and all below it. */
export type MaxConcurrencyOf = (id: AgentId) => number;

/**
 * Moves the lender's slot to a child that waits for one. A lender that only waits for a slot waits no more: given one,
 * it would sit on it until its children end, and they might be waiting for that very slot.
 */
export function lendSlot(slots: Slots, lender: AgentId, child: AgentId, maxConcurrencyOf: MaxConcurrencyOf): Slots {
	const { active, waiting } = releaseSlot(slots, lender);
	const mayStart =
		slots.active.includes(lender) &&
		waiting.some((other) => other.agent === child) &&
		mayBeActive(active, child, maxConcurrencyOf);
	if (!mayStart) return { active, waiting };
	return { active: [...active, child], waiting: waiting.filter((other) => other.agent !== child) };
}

/** Hands out what is free. */
export function grantSlots(slots: Slots, maxConcurrencyOf: MaxConcurrencyOf): { slots: Slots; granted: AgentId[] } {
	const granted: AgentId[] = [];
	const order = [...slots.waiting.filter((w) => w.isReturning), ...slots.waiting.filter((w) => !w.isReturning)];
	let active = slots.active;
	for (const { agent } of order) {
		if (!mayBeActive(active, agent, maxConcurrencyOf)) continue;
		active = [...active, agent];
		granted.push(agent);
	}
	if (granted.length === 0) return { slots, granted };
	return { slots: { active, waiting: slots.waiting.filter((w) => !granted.includes(w.agent)) }, granted };
}

function mayBeActive(active: readonly AgentId[], agent: AgentId, maxConcurrencyOf: MaxConcurrencyOf): boolean {
	return withAncestors(agent).every(
		(holder) => active.filter((other) => isWithin(other, holder)).length < maxConcurrencyOf(holder),
	);
}
