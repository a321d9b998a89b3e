/** `agent tree`: as `agent run`, in a live dashboard. Inside a run: a child agent. */

import { supervisorAround } from "../../agent/start/supervisor-of-mark.ts";
import { AgentreeError } from "../../core/errors.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import type { Command } from "../../project/config/command-table.ts";
import { refuseRef } from "../../project/config/refuse-ref.ts";
import { workingDirectory } from "../../project/config/working-directory.ts";
import { refuseOfRun, startDetached } from "../start/detached.ts";
import { isRunHere } from "../start/is-run-here.ts";
import { showTree } from "../start/on-screen.ts";
import { startChild } from "../start/start-child.ts";
import { readStartRequest } from "../start/start-request.ts";

export const command: Command = async ([task], values) => {
	refuseRef(task, isRunHere);
	const host = { env: process.env, cwd: () => workingDirectory(process.cwd) };
	const supervisor = supervisorAround(process, openProcessTable(process.env));
	if (supervisor !== undefined) {
		refuseOfRun(values);
		return startChild(supervisor, { task, values }, host.cwd);
	}
	const request = await readStartRequest(task, values, host);
	if (request.outputFormat !== undefined && request.outputFormat !== "text")
		throw new AgentreeError(
			"usage",
			`--output-format ${request.outputFormat} is for agent run; agent tree prints the answer as text`,
		);
	return values.detach === true ? startDetached(request) : showTree(request);
};
