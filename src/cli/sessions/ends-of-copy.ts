/** How the agents of a copied run have ended: nothing of a copy is alive. Pure. */
import { type Agent, type Ending, isOver, ROOT } from "../../core/agent.ts";
import { exitCodeOf } from "../../core/exit-code.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { agentsInOrder, type RunState } from "../../core/run-state.ts";

export interface EndsOfCopy {
	/** One for each agent that had not ended. */
	readonly agents: readonly Extract<RunEvent, { event: "agent_ended" }>[];
	readonly run: { readonly ending: Ending; readonly exitCode: number };
}

const COPIED: Ending = { by: "stopped", reason: "its run was copied while it was at work", signal: 15 };
const ANSWERED: Ending = { by: "answer" };

/** `isCut`: the copy ends before a message of the person; `isAnswered`: and behind an answer. */
export function endsOfCopy(
	state: RunState,
	{ isCut, isAnswered, now }: { isCut: boolean; isAnswered: boolean; now: number },
): EndsOfCopy {
	const endingOf = (agent: Agent) => {
		if (agent.id !== ROOT) return COPIED;
		return (isCut ? isAnswered : agent.state.is === "listening") ? ANSWERED : COPIED;
	};
	const living = agentsInOrder(state).filter((agent) => !isOver(agent));
	const agents = living.map((agent) => {
		return { event: "agent_ended", at: now, agent: agent.id, ending: endingOf(agent) } as const;
	});
	const root = state.agents[ROOT];
	const ending = root === undefined || !isOver(root) ? (agents[0]?.ending ?? COPIED) : root.state.ending;
	return { agents, run: { ending, exitCode: exitCodeOf(ending) } };
}
