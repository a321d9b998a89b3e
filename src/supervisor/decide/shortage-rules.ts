/** What a shortage means for the agents of a run: which of them wait with their first turn, and whether logs are written. Pure. */

import { logsForbiddenBy, type Shortage, shortageOfKind } from "../../core/limits/shortage.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { ToAgent } from "../../wire/agent-messages.ts";
import type { MaxConcurrencyOf, Slots } from "./slots/slots.ts";

/** Events for the shortages that have ended and those that have begun. */
export function shortageEvents(before: readonly Shortage[], now: readonly Shortage[], at: number): RunEvent[] {
	const isIn = (list: readonly Shortage[], what: string) => list.some((shortage) => shortage.what === what);
	return [
		...before
			.filter(({ what }) => !isIn(now, what))
			.map(({ what }) => ({ event: "shortage_ended", at, what }) as const),
		...now
			.filter(({ what }) => !isIn(before, what))
			.map(({ what, reason }) => ({ event: "shortage_began", at, what, reason }) as const),
	];
}

/** What agents are told about writing the logs of their commands. */
export function logsMessage(shortages: readonly Shortage[]): Extract<ToAgent, { say: "logs" }> {
	const reason = logsForbiddenBy(shortages);
	return reason === undefined ? { say: "logs", mayWrite: true } : { say: "logs", mayWrite: false, reason };
}

/** While memory is short, an agent that has not begun waits with its first turn. The root never waits: without it there is no run. */
export function isHeldBack(run: RunState, id: AgentId): boolean {
	const isNew = (run.agents[id]?.turns ?? 0) === 0;
	return isNew && id.includes(".") && shortageOfKind(run.shortages, "memory") !== undefined;
}

/** Grants free slots to agents that are not held back. When no agent is active, one that is held back gets a slot, so that the run continues. */
export function grantSlots(slots: Slots, run: RunState, maxConcurrencyOf: MaxConcurrencyOf): void {
	if (shortageOfKind(run.shortages, "memory") === undefined) return void slots.grant(maxConcurrencyOf);
	slots.grant(maxConcurrencyOf, (agent) => !isHeldBack(run, agent));
	if (slots.active.size > 0) return;
	const [first] = slots.waiting;
	if (first !== undefined) slots.grant(maxConcurrencyOf, (agent) => agent === first.agent);
}
