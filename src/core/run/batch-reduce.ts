import { type Agents, copyAgents } from "./agent-index.ts";
import { type reduce, reduceInPlace } from "./run-state.ts";

/**
 * A `reduce` for many events in a row: it copies the agents of the state that it is given first, and from then on changes its
 * copy. So what the last event gives costs one copy, however many there are, and the states between are not to be kept.
 */
export function createBatchReduce(): typeof reduce {
	let own: Agents | undefined;
	return (state, event) => {
		const changeable = state.agents === own ? state : { ...state, agents: copyAgents(state.agents) };
		own = changeable.agents;
		return reduceInPlace(changeable, event);
	};
}
