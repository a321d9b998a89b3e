/** How an agent ended: the first cause wins, and what has ended it with a command of one above it is that one's cause. Pure. */
import { type AgentId, type Ending, withAncestors } from "../../core/model/agent.ts";
import type { Input } from "./input.ts";
import { limitBelow } from "./out-of-time.ts";
import type { SupervisorState } from "./supervisor-state.ts";

type Over = Extract<Input, { is: "finished" | "gone" }>;

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
