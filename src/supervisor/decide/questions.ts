/**
 * Questions to a person. While one of an agent waits, its slot is others' and its clocks stand still, as does the time of all
 * above it: nobody's absence ends anything. Pure.
 */

import { defined } from "../../core/defined.ts";
import { type AgentId, withAncestors } from "../../core/model/agent.ts";
import type { ModelRequest } from "../../core/model/model.ts";
import { type CallVerdict, fitCall } from "./call-budget.ts";
import type { InputOf } from "./inputs-and-effects.ts";
import { holdClocks } from "./pauses.ts";
import type { SupervisorState } from "./supervisor-state.ts";
import { type Decision, emit } from "./supervisor-state.ts";

export function ask(decision: Decision, input: InputOf<"question_asked">): void {
	const { is, ...asked } = input;
	emit(decision, { event: is, ...asked });
	holdClocks(decision, input.agent, withAncestors(input.agent));
}

/** Nobody waits for the answer any more. */
export function withdrawQuestion(decision: Decision, input: InputOf<"question_withdrawn">): void {
	if (!isOpen(decision, input)) return;
	const { is, ...withdrawn } = input;
	emit(decision, { event: is, ...withdrawn });
	holdClocks(decision, input.agent, withAncestors(input.agent));
}

/** The first answer counts. True when it was that. */
export function answer(decision: Decision, { agent, question, answer: given }: InputOf<"question_answered">): boolean {
	const what = decision.state.run.questions?.find(({ number }) => number === question)?.what;
	if (what === undefined) return false;
	emit(decision, { event: "question_answered", agent, question, answer: given });
	if (given.is === "always" || given.is === "project") {
		const outsideIn = what.is === "outside" ? what.directory : undefined;
		emit(decision, { event: "grant_given", agent, rule: given.rule, ...defined({ outsideIn }) });
	}
	holdClocks(decision, agent, withAncestors(agent));
	return true;
}

/** Before the agent ends: nobody waits for what it asked. */
export function withdrawQuestions(decision: Decision, agent: AgentId): void {
	const { questions = [] } = decision.state.run.agents[agent]?.asking ?? {};
	for (const question of questions)
		emit(decision, { event: "question_withdrawn", agent, question, reason: `agent ${agent} has ended` });
	if (questions.length > 0) holdClocks(decision, agent, withAncestors(agent));
}

function isOpen({ state }: Decision, { question }: { question: number }): boolean {
	return state.run.questions?.some(({ number }) => number === question) === true;
}

/** Questions beside a conversation: no turn and no slot, but they cost what they cost. Pure. */

/** Whether the budgets of the agent have room for the question. It is priced as a summary is: a call that is no turn. */
export function fitAside(
	state: SupervisorState,
	{ agent, request, now }: { agent: AgentId; request: ModelRequest; now: number },
): CallVerdict {
	return fitCall(state, { agent, ask: { request, kind: "compaction", isCalling: false }, now });
}

/** What the question may cost is set aside until it is answered. */
export function beginAside({ state, effects }: Decision, input: InputOf<"aside_asked">): void {
	const { agent, request, reservation } = input;
	if (reservation !== undefined) state.ledger.unsettled.push(reservation);
	effects.push({ do: "call_aside", agent, request, ...defined({ reservation }) });
}

export function endAside(decision: Decision, input: InputOf<"aside_ended">): void {
	const { agent, usage, costUsd, reservation } = input;
	const { unsettled } = decision.state.ledger;
	const at = reservation === undefined ? -1 : unsettled.indexOf(reservation);
	if (at >= 0) unsettled.splice(at, 1);
	emit(decision, { event: "aside_ended", agent, usage, costUsd });
}
