/** `agent tree`: as `agent run`, in a live dashboard. Inside a run: a child agent. */
import { discoverSupervisor } from "../../agent/start/discover-supervisor.ts";
import { startChild } from "../../agent/start-agent.ts";
import type { Command } from "../../config/command-table.ts";
import { readRunRequest } from "../../config/run-request.ts";
import { workingDirectory } from "../../config/working-directory.ts";
import { AgentreeError } from "../../core/errors.ts";
import { openProcessTable } from "../../processes/open-table.ts";
import { showTree } from "../start/on-screen.ts";
import { childHost } from "../start/this-process.ts";

export const command: Command = async ([task], values) => {
	const supervisor = discoverSupervisor(process, openProcessTable(process.env));
	if (supervisor !== undefined) return startChild(supervisor, { task, values }, childHost());
	const request = readRunRequest(task, values, { env: process.env, cwd: () => workingDirectory(process.cwd) });
	if (request.outputFormat !== undefined && request.outputFormat !== "text")
		throw new AgentreeError(
			"usage",
			`--output-format ${request.outputFormat} is for agent run; agent tree prints the answer as text`,
		);
	return showTree(request);
};
