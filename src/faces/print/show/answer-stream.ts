/** The pieces of an agent's answers while they are written, from the run's supervisor. Without it they come when they are recorded. */

import type { AgentId } from "../../../core/model/agent.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { supervisorAt } from "../../../record/supervisor-process.ts";
import type { AnswerPiece } from "../../../view/transcript/turns.ts";
import { askSupervisor } from "../../../wire/run-client.ts";
import type { ToWatcher } from "../../../wire/watcher-messages.ts";

/** The result ends it. Whatever keeps the supervisor from telling, nothing is said of it: nothing is lost. */
export function streamAnswers(socket: string, agent: AgentId, onPiece: (piece: AnswerPiece) => void): () => void {
	const over = new AbortController();
	let attempt = 0;
	const hear = (message: ToWatcher) => {
		if (message.say === "snapshot") attempt = attemptIn(message.state, agent);
		if (message.say === "event") attempt = attemptAfter(message.event, agent) ?? attempt;
		if (message.say === "delta" && message.agent === agent)
			onPiece({ turn: message.turn, attempt, delta: message.delta });
		return undefined;
	};
	const watching = { say: [{ say: "watch" }, { say: "focus", agent }], hear, signal: over.signal } as const;
	void askSupervisor(supervisorAt(socket), watching);
	return () => over.abort();
}

function attemptIn({ agents }: RunState, agent: AgentId): number {
	const state = agents[agent]?.state;
	return state?.is === "thinking" ? (state.retry?.attempt ?? 0) : 0;
}

/** The attempt of the agent's call after the event; undefined when it says nothing about that. */
function attemptAfter(event: RunEvent, agent: AgentId): number | undefined {
	if (event.event === "turn_started" && event.agent === agent) return 0;
	return event.event === "turn_retrying" && event.agent === agent ? event.attempt : undefined;
}
