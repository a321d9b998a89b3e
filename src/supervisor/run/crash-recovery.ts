/** The events missing from an event log that stopped while an agent was alive: what its own files tell beyond the log, and its end. */

import { type Agent, type AgentId, type Ending, isOver, ROOT } from "../../core/model/agent.ts";
import type { AgentFile, AssistantEntry } from "../../core/model/transcript.ts";
import { addDollars, addUsage, NO_USAGE, type Usage, uncountedOf } from "../../core/model/usage.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { type RunState, reduce } from "../../core/run/run-state.ts";
import { isInTurn } from "../../core/run/turn-state.ts";
import { unheardBy } from "../../core/run/waiting-messages.ts";
import { forEachEntry, lastAnswerOf } from "../../record/read-events.ts";
import { readableAgentFile } from "../../record/read-run.ts";

/** The missing events of the agent; none for an agent that is over. */
export function endAfterCrash(agent: Agent, { directory, at, state }: LoggedRun): RunEvent[] {
	if (isOver(agent)) return [];
	const file = readableAgentFile(directory, agent.id);
	const turns = unwrittenTurns(agent, lastAnswerOf(directory, agent.id), at);
	const after = turns.reduce(reduce, state).agents[agent.id] ?? agent;
	const charges = unwrittenCharges(after, totalOf(directory, agent.id, file), at);
	const unheard = agent.id === ROOT ? [] : unheardBy(agent, at); // the root goes on, and gets what waits
	return [...turns, ...charges, endOf(agent, file, { at, state }), ...unheard];
}

/** A run up to the end of its event log. */
interface LoggedRun {
	/** The directory of the run. */
	directory: string;
	/** When the last event happened. */
	at: number;
	state: RunState;
}

/** The agent's end. agent.json may have one that the event log lost; an end from before the agent was last resumed does not count. */
function endOf(agent: Agent, file: AgentFile | undefined, { at, state }: { at: number; state: RunState }): RunEvent {
	const { endedAt, ending } = file ?? {};
	const since = "since" in agent.state ? agent.state.since : 0;
	if (endedAt !== undefined && ending !== undefined && endedAt >= since)
		return { event: "agent_ended", at: endedAt, agent: agent.id, ending };
	const reason = state.ended === undefined ? "its supervisor died" : "its run ended";
	const crashed: Ending = { by: "crashed", reason };
	return { event: "agent_ended", at, agent: agent.id, ending: crashed };
}

/** The turns that only the transcript has: an answer is written just before its turn's end, and the event log may have lost turns. */
function unwrittenTurns(agent: Agent, answer: AssistantEntry | undefined, at: number): RunEvent[] {
	if (answer === undefined) return [];
	const { turn, stopReason, usage, costUsd } = answer;
	const ended: RunEvent = { event: "turn_ended", at, agent: agent.id, turn, stopReason, usage, costUsd };
	if (isInTurn(agent) && turn === agent.turns) return [ended];
	const isReport = agent.state.is === "thinking" && agent.state.turn === turn; // the last call at a limit is not counted
	if (turn <= agent.turns || isReport) return [];
	const lost = Array.from({ length: turn - agent.turns }, (_, index) => agent.turns + index + 1);
	const started = lost.map(
		(number): RunEvent => ({ event: "turn_started", at, agent: agent.id, turn: number, isLast: false }),
	);
	return [...started, ended];
}

interface Total {
	usage: Usage;
	costUsd: number | null;
}

/** What the agent has cost beyond what the event log tells, as one charge. */
function unwrittenCharges(agent: Agent, total: Total, at: number): RunEvent[] {
	const usage = eachOf((key) => Math.max(0, (total.usage[key] ?? 0) - (agent.usage[key] ?? 0)));
	const known = addDollars(total.costUsd, agent.costUsd === null ? null : -agent.costUsd);
	const costUsd = known === null ? null : Math.max(0, known);
	if (Object.values(usage).every((tokens) => tokens === 0) && (costUsd === null || costUsd === 0)) return [];
	return [{ event: "turn_cancelled", at, agent: agent.id, turn: agent.turns, usage, costUsd }];
}

/** What the agent has used in its whole life, or since it was copied from another run, by agent.json or its transcript, whichever has more. */
function totalOf(directory: string, agent: AgentId, file: AgentFile | undefined): Total {
	let told: Total = { usage: NO_USAGE, costUsd: 0 };
	forEachEntry(directory, agent, (entry) => {
		if (entry.role === "note" && entry.note === "forked") told = { usage: NO_USAGE, costUsd: 0 };
		if (entry.role === "user" || (entry.role === "note" && entry.note !== "call")) return;
		told = { usage: addUsage(told.usage, entry.usage), costUsd: addDollars(told.costUsd, entry.costUsd) };
	});
	const { usage = NO_USAGE, costUsd = 0 } = file ?? {};
	const most = told.costUsd === null || costUsd === null ? null : Math.max(told.costUsd, costUsd);
	return { usage: eachOf((key) => Math.max(told.usage[key] ?? 0, usage[key] ?? 0)), costUsd: most };
}

function eachOf(tokens: (key: keyof Usage) => number): Usage {
	const [input, output] = [tokens("input"), tokens("output")];
	const cache = { cacheRead: tokens("cacheRead"), cacheWrite: tokens("cacheWrite") };
	return { input, output, ...cache, ...uncountedOf(tokens("uncounted")) };
}
