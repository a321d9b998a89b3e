/** `agent ask` outside of a run, where there is no agent to ask anything: inside, agent/ask.ts is loaded in place of the command line. */

import { AgentreeError } from "../../core/errors.ts";
import type { Command } from "../../project/config/command-table.ts";

export const command: Command = () => {
	throw new AgentreeError("usage", "agent ask works only in an agent's bash; see agent questions and agent answer");
};
