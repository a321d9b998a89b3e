/** The answers of a conversation, as its events tell of them: each ends when the root listens again. */
import { type Ending, ROOT } from "../../core/agent.ts";
import { EXIT } from "../../core/exit-code.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { RunState } from "../../core/run-state.ts";

export interface Answer {
	readonly ending: Ending;
	/** Since the first turn for it. */
	readonly durationMs: number;
	readonly turns: number;
}

const INTERRUPTED: Ending = { by: "failure", reason: "interrupted", exitCode: EXIT.failure };

export class Answers {
	private begunAt: number | undefined;
	private turnsBefore = 0;
	private isInterrupted = false;
	private refusal: Extract<Ending, { by: "limit" }> | undefined;
	private readonly onAnswer: (answer: Answer, run: RunState) => void;

	constructor(onAnswer: (answer: Answer, run: RunState) => void) {
		this.onAnswer = onAnswer;
	}

	/** The limit of the run that forbids every further answer; max-turns begins anew with each message. */
	get limit(): Extract<Ending, { by: "limit" }> | undefined {
		return this.refusal?.limit === "max-turns" ? undefined : this.refusal;
	}

	/** `run`: after the event. */
	onEvent(event: RunEvent, run: RunState): void {
		if (!("agent" in event) || event.agent !== ROOT) return;
		switch (event.event) {
			case "agent_resumed":
				this.turnsBefore = run.agents[ROOT]?.turns ?? 0;
				return;
			case "turn_started":
			case "message_delivered":
				this.begunAt ??= event.at;
				return;
			case "agent_interrupted":
				this.isInterrupted = true;
				return;
			case "turn_refused":
				this.refusal = { by: "limit", limit: event.limit, reason: event.reason };
				return;
			case "agent_listening":
				return this.ended(event, run);
		}
	}

	private ended({ at, reason }: { at: number; reason?: string }, run: RunState): void {
		const { begunAt, isInterrupted, refusal } = this;
		if (begunAt === undefined && reason === undefined && !isInterrupted) return; // it goes on with a run that had answered
		const turns = run.agents[ROOT]?.turns ?? 0;
		const failure: Ending | undefined =
			reason === undefined ? undefined : (refusal ?? { by: "failure", reason, exitCode: EXIT.failure });
		const ending: Ending = isInterrupted ? INTERRUPTED : (failure ?? { by: "answer" });
		const answer = { ending, durationMs: Math.max(0, at - (begunAt ?? at)), turns: turns - this.turnsBefore };
		this.begunAt = undefined;
		this.isInterrupted = false;
		this.turnsBefore = turns;
		if (this.limit === undefined) this.refusal = undefined;
		this.onAnswer(answer, run);
	}
}
