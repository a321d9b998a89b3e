/** How an agent ended: the first cause wins, and what has ended it with a command of one above it is that one's cause. Pure. */

import { type AgentId, type Ending, isWithin, parentOf, withAncestors } from "../../core/model/agent.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import type { Input, InputOf } from "./inputs-and-effects.ts";
import { isTalkedWith } from "./listening.ts";
import type { OutOfTime, SupervisorState } from "./supervisor-state.ts";
import { type Decision, emit, refuseAsk } from "./supervisor-state.ts";

type Over = InputOf<"finished" | "gone">;

export function endingOf(state: SupervisorState, over: Over): Ending {
	if (over.is === "finished") return endingOfFinished(state, over);
	return over.cameFirst ? over.ending : (state.stops.get(over.agent) ?? over.ending);
}

/**
 * An interruption of the root ends the agents below its commands by a signal. A stop of the tree reaches an agent twice, as a message and as the SIGTERM that the agent above sends to its commands.
 * Whichever comes first, the ending is the one that the agent was told.
 */
function endingOfFinished(state: SupervisorState, { agent, ending }: Over): Ending {
	if (ending.by !== "stopped") return ending;
	const interrupted = withAncestors(agent).find((above) => state.interrupted.has(above));
	const byPerson =
		interrupted === undefined ? undefined : { ...ending, reason: `the person interrupted agent ${interrupted}` };
	return state.stops.get(agent) ?? byPerson ?? limitBelow(state, agent) ?? ending;
}

/** Of agents below one that is stopped. */
export function endingBelow(above: AgentId, ending: Ending): Ending {
	return {
		by: "stopped",
		reason: `agent ${above} above it ended (${ending.by})`,
		signal: ending.by === "stopped" ? ending.signal : 15,
	};
}

/**
 * The end of an agent's time. Before it the agent is told how much is left; shortly before it its commands are ended, and it makes one
 * last call, to report. Pure.
 */

export function tellTime(decision: Decision, input: Extract<Input, { is: `time_${string}` }>): void {
	if (input.is === "time_short") endTime(decision, input);
	else noticeTime(decision, input);
}

/** The agent is told with its next answer. */
function noticeTime(decision: Decision, { agent, reason }: InputOf<"time_noticed">): void {
	const { toTell } = decision.state.ledger;
	emit(decision, { event: "budget_noticed", agent, reason });
	const note = `${reason}. Shortly before the end your commands are stopped, and you can only report: do what matters most now.`;
	toTell.set(agent, [...(toTell.get(agent) ?? []), note]);
}

/** A call under way may still give the answer. One that has not begun is not made. */
function endTime(decision: Decision, { agent, reached, holder }: Omit<InputOf<"time_short">, "is">): void {
	const { outOfTime, stops, answered, reported, asks } = decision.state;
	if (outOfTime.has(agent) || stops.has(agent) || answered.has(agent) || reported.has(agent)) return;
	outOfTime.set(agent, { reached, holder });
	const { reason } = reached;
	emit(decision, {
		event: "budget_noticed",
		agent,
		reason: `${reason}: the remaining time is only enough for a report`,
	});
	decision.effects.push({ do: "tell", agent, message: { say: "out_of_time", reason } });
	const ask = asks.get(agent);
	if (ask?.kind === "turn" && !ask.isCalling) refuseAsk(decision, agent, reached);
}

/** To be called when an agent has ended whose time was over. Who waited for its report may only report, too, and begins nothing any more. */
export function endTimeAbove(decision: Decision, agent: AgentId, { reached, holder }: OutOfTime): void {
	const { run } = decision.state;
	const above = parentOf(agent);
	if (above === undefined || !isWithin(above, holder) || isTalkedWith(run, above)) return;
	if (branchOf(run.agents, above).livingChildren.size === 0) endTime(decision, { agent: above, reached, holder });
}

/** What ended an agent that was ended with a command of one above it, whose time was over. */
function limitBelow({ outOfTime }: SupervisorState, agent: AgentId): Ending | undefined {
	const holder = withAncestors(agent).find((above) => above !== agent && outOfTime.has(above));
	const over = holder === undefined ? undefined : outOfTime.get(holder);
	return over && { by: "limit", ...over.reached };
}
