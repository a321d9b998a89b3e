/** `agent tree`: as `agent run`, in a live dashboard. Inside a run: a child agent. */
import { supervisorAround } from "../../agent/start/supervisor-of-mark.ts";
import { startChild } from "../../agent/start-agent.ts";
import type { Command } from "../../config/command-table.ts";
import { refuseRef } from "../../config/refuse-ref.ts";
import { readRunRequest } from "../../config/run-request.ts";
import { workingDirectory } from "../../config/working-directory.ts";
import { AgentreeError } from "../../core/errors.ts";
import { openProcessTable } from "../../processes/open-table.ts";
import { refuseOfRun, startDetached } from "../start/detached.ts";
import { isRunHere } from "../start/is-run-here.ts";
import { showTree } from "../start/on-screen.ts";
import { childHost } from "../start/this-process.ts";

export const command: Command = async ([task], values) => {
	refuseRef(task, isRunHere);
	const supervisor = supervisorAround(process, openProcessTable(process.env));
	if (supervisor !== undefined) {
		refuseOfRun(values);
		return startChild(supervisor, { task, values }, childHost(values));
	}
	const request = readRunRequest(task, values, { env: process.env, cwd: () => workingDirectory(process.cwd) });
	if (request.outputFormat !== undefined && request.outputFormat !== "text")
		throw new AgentreeError(
			"usage",
			`--output-format ${request.outputFormat} is for agent run; agent tree prints the answer as text`,
		);
	return values.detach === true ? startDetached(request) : showTree(request);
};
