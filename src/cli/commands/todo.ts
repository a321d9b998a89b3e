/** `agent todo` outside of a run, where nobody has a plan: inside, agent/todo.ts is loaded in place of the command line. */

import { AgentreeError } from "../../core/errors.ts";
import type { Command } from "../../project/config/command-table.ts";

export const command: Command = () => {
	throw new AgentreeError(
		"usage",
		"agent todo works only in an agent's bash and takes no options; to see a plan: agent show",
	);
};
