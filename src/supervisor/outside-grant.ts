/** What of the run's state decides on a command that is to leave the sandbox. Pure. */
import { type AgentId, isOver, isWithin } from "../core/agent.ts";
import type { RunState } from "../core/run-state.ts";
import type { OutsideRequest } from "./clients/client-listener.ts";
import type { SupervisorState } from "./decide/supervisor-state.ts";
import type { OutsideAsked } from "./outside-request.ts";

/** A person has allowed the agent, or one above it, this very command in this directory for always. */
export function isGranted({ grants = [] }: RunState, agent: AgentId, { directory, rule }: OutsideAsked): boolean {
	return grants.some(
		(grant) =>
			grant.outsideIn === directory && rule !== undefined && grant.rule === rule && isWithin(agent, grant.agent),
	);
}

/** Of the agent's running commands the one that is named, else the newest; undefined of an agent that asks nothing more. */
export function commandOf(
	{ agent: id, inCommand }: Pick<OutsideRequest, "agent" | "inCommand">,
	{ run, stops }: Pick<SupervisorState, "run" | "stops">,
): number | undefined {
	const agent = run.agents[id];
	if (agent === undefined || isOver(agent) || stops.has(id)) return undefined;
	const named = agent.running.find(({ command }) => command === inCommand);
	return (named ?? agent.running.at(-1))?.command ?? agent.commands;
}
