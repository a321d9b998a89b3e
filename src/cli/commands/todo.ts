/** `agent todo` outside of a run, where nobody has a plan: inside, agent/todo.ts is loaded in place of the command line. */
import type { Command } from "../../config/command-table.ts";
import { AgentreeError } from "../../core/errors.ts";

export const command: Command = () => {
	throw new AgentreeError(
		"usage",
		"agent todo keeps the plan of the agent in whose bash it is run, without options; agent show shows the plan of an agent",
	);
};
