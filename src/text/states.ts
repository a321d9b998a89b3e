/** What an agent does and how it ended, as one line for people. Reasons that agents wrote are made safe for a terminal. */
import type { Agent, AgentState, Ending } from "../core/model/agent.ts";
import { foldedMiddle } from "../core/preview.ts";
import { pauseOf } from "../core/run/pause.ts";
import type { Pause } from "../core/schemas/agent.ts";
import { formatElapsed, formatWait } from "./durations.ts";
import { ordinal } from "./numbers.ts";
import { oneLine } from "./safe/terminal-safe.ts";

const MAX_CAUSE = 1_000;

/** One line: `answer`, `limit: turn limit reached (max-turns 50)`, `killed by SIGKILL`. The middle of a very long cause is folded. */
export function describeEnding(ending: Ending): string {
	return foldedMiddle(wholeEnding(ending), MAX_CAUSE);
}

/** The same with the whole cause, however long it is. */
export function wholeEnding(ending: Ending): string {
	switch (ending.by) {
		case "answer":
			return "answer";
		case "failure":
		case "limit":
		case "stopped":
		case "crashed":
			return `${ending.by}: ${oneLine(ending.reason)}`;
		case "killed":
			return `killed by ${oneLine(ending.signal)}`;
	}
}

/**
 * One line: `queued 3s`, `thinking 12s, turn 2`, `retrying 3rd time in 12 s: overloaded`, `running 1m05s, 2 commands`,
 * `ended: answer`. Of one that is paused: `paused 12s: running 1m05s`, `paused and frozen 12s: running 1m05s`.
 */
export function describeState(agent: Agent, now: number): string {
	const pause = pauseOf(agent);
	const does = describeDoing(agent, now);
	return pause === undefined ? does : `${describePause(pause, now)}: ${does}`;
}

function describePause({ since, isHard }: Pause, now: number): string {
	return `paused${isHard ? " and frozen" : ""} ${formatElapsed(now - since)}`;
}

function describeDoing(agent: Agent, now: number): string {
	const { state } = agent;
	switch (state.is) {
		case "queued":
			return `queued ${formatElapsed(now - state.since)}${state.reason === undefined ? "" : `: ${oneLine(state.reason)}`}`;
		case "thinking":
			return describeThinking(state, now);
		case "running":
		case "waiting": {
			if (agent.asking !== undefined) return describeAsking(agent.asking, now);
			const several = agent.running.length > 1 ? `, ${agent.running.length} commands` : "";
			return `${state.is} ${formatElapsed(now - state.since)}${several}`;
		}
		case "listening":
			return `waiting for you ${formatElapsed(now - state.since)}${state.reason === undefined ? "" : `: ${oneLine(state.reason)}`}`;
		case "ended": {
			const wasWaiting = agent.hadListened && state.ending.by !== "answer" ? " while it waited for you" : "";
			return `ended${wasWaiting}: ${describeEnding(state.ending)}`;
		}
	}
}

/** `waiting for you 12s, question 3` */
function describeAsking({ since, questions }: NonNullable<Agent["asking"]>, now: number): string {
	return `waiting for you ${formatElapsed(now - since)}, ${questionNumbers(questions)}`;
}

/** `question 3`, `questions 3, 4` */
export function questionNumbers(questions: readonly number[]): string {
	return `${questions.length === 1 ? "question" : "questions"} ${questions.join(", ")}`;
}

type Thinking = Extract<AgentState, { is: "thinking" }>;

function describeThinking(state: Thinking, now: number): string {
	const wait = retryWait(state, now);
	if (wait !== undefined) return wait;
	const tries = state.retry === undefined ? "" : ` (${ordinal(state.retry.attempt)} retry)`;
	const what = state.purpose === "compaction" ? "summarising older rounds" : "thinking";
	return `${what}${tries} ${formatElapsed(now - state.since)}, turn ${state.turn}`;
}

/** `retrying 3rd time in 12 s: overloaded`; undefined unless the agent waits for its next try. */
export function retryWait(state: AgentState, now: number): string | undefined {
	if (state.is !== "thinking" || state.retry === undefined || state.retry.nextAt <= now) return undefined;
	const { attempt, nextAt, reason } = state.retry;
	return `retrying ${ordinal(attempt)} time in ${formatWait(nextAt - now)}: ${oneLine(reason)}`;
}

/** Milliseconds from the join of the agent to its end, or to now; 0 when the system's time was set back before the join. */
export function ageOf(agent: Agent, now: number): number {
	return Math.max(0, (agent.state.is === "ended" ? agent.state.at : now) - agent.joinedAt);
}
