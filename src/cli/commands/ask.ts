/** `agent ask` outside of a run, where there is no agent to ask anything: inside, agent/ask.ts is loaded in place of the command line. */

import { AgentreeError } from "../../core/errors.ts";
import type { Command } from "../../project/config/command-table.ts";

export const command: Command = () => {
	throw new AgentreeError(
		"usage",
		"agent ask asks a person from the bash of an agent; agent questions shows what is asked, agent answer answers",
	);
};
