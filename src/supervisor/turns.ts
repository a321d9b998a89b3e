/** What is decided about calls to the model: which may be made, and what the agent is told of their outcome. Pure. */
import { turnLimitReached } from "../core/admission.ts";
import { emit, setAsk } from "./decision.ts";
import type { Decision, Occurrence } from "./occurrence.ts";
import { settleSlots } from "./settle-slots.ts";

export function askTurn(decision: Decision, occurrence: Extract<Occurrence, { is: "asked" }>, now: number): void {
	const { agent, request, kind } = occurrence;
	const { run, asks, reported, stops } = decision.state;
	if (stops[agent] !== undefined || asks[agent] !== undefined) return; // told to stop, or its one ask is under way
	const reserved = Object.keys(asks).filter((id) => asks[id]?.isCalling === false && asks[id].kind === "turn");
	const reached = kind === "compaction" ? undefined : turnLimitReached(run, agent, reserved);
	const isLast = kind === "last" && reached !== undefined;
	if (reached !== undefined && (!isLast || reported.includes(agent))) {
		emit(decision, { event: "turn_refused", at: now, agent, ...reached });
		decision.effects.push({ do: "tell", agent, message: { say: "ask_refused", ...reached } });
		return;
	}
	setAsk(decision, agent, {
		request: kind === "turn" ? request : { ...request, mayUseTools: false },
		kind: kind === "last" && !isLast ? "turn" : kind, // a limit that nobody has met is none
		isCalling: false,
	});
	if (isLast) decision.state = { ...decision.state, reported: [...reported, agent] };
	settleSlots(decision, now);
	const isQueued = decision.state.asks[agent]?.isCalling === false;
	if (isQueued) emit(decision, { event: "turn_queued", at: now, agent });
}

export function endTurn(decision: Decision, occurrence: Extract<Occurrence, { is: "answered" }>, now: number): void {
	const { agent, outcome, costUsd } = occurrence;
	const state = decision.state.run.agents[agent]?.state;
	if (decision.state.asks[agent] === undefined || state?.is !== "thinking") return;
	const { turn } = state;
	setAsk(decision, agent, undefined);
	const output = outcome.output === undefined ? {} : { output: outcome.output };
	if (outcome.is === "reply") {
		const { stopReason, usage, content } = outcome;
		emit(decision, { event: "turn_ended", at: now, agent, turn, stopReason, usage, costUsd });
		decision.effects.push({ do: "tell", agent, message: { say: "answer", content, stopReason, usage, ...output } });
	} else {
		const { reason, exitCode, usage, isContextFull } = outcome;
		emit(decision, { event: "turn_failed", at: now, agent, turn, reason, usage, costUsd });
		const full = isContextFull ? { isContextFull } : {};
		decision.effects.push({ do: "tell", agent, message: { say: "ask_failed", reason, exitCode, ...full, ...output } });
	}
}
