/** Questions beside a conversation: no turn and no slot, but they cost what they cost. Pure. */

import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { ModelRequest } from "../../core/model/model.ts";
import { type CallVerdict, fitCall } from "./call-budget.ts";
import { type Decision, emit } from "./decision.ts";
import type { Input } from "./input.ts";
import type { SupervisorState } from "./supervisor-state.ts";

/** Whether the budgets of the agent have room for the question. It is priced as a summary is: a call that is no turn. */
export function fitAside(
	state: SupervisorState,
	{ agent, request, now }: { agent: AgentId; request: ModelRequest; now: number },
): CallVerdict {
	return fitCall(state, { agent, ask: { request, kind: "compaction", isCalling: false }, now });
}

/** What the question may cost is set aside until it is answered. */
export function beginAside({ state, effects }: Decision, input: Extract<Input, { is: "aside_asked" }>): void {
	const { agent, request, reservation } = input;
	if (reservation !== undefined) state.ledger.unsettled.push(reservation);
	effects.push({ do: "call_aside", agent, request, ...defined({ reservation }) });
}

export function endAside(decision: Decision, input: Extract<Input, { is: "aside_ended" }>, now: number): void {
	const { agent, usage, costUsd, reservation } = input;
	const { unsettled } = decision.state.ledger;
	const at = reservation === undefined ? -1 : unsettled.indexOf(reservation);
	if (at >= 0) unsettled.splice(at, 1);
	emit(decision, { event: "aside_ended", at: now, agent, usage, costUsd });
}
