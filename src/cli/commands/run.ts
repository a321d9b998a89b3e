/** `agent run`: the supervisor is this process, or with `--detach` one of its own. Inside a run: a child agent. */
import { supervisorAround } from "../../agent/start/supervisor-of-mark.ts";
import { startChild } from "../../agent/start-agent.ts";
import type { Command } from "../../config/command-table.ts";
import { refuseRef } from "../../config/refuse-ref.ts";
import { readRunRequest } from "../../config/run-request.ts";
import { workingDirectory } from "../../config/working-directory.ts";
import { openProcessTable } from "../../processes/open-table.ts";
import { refuseDetach, startDetached } from "../start/detached.ts";
import { headless } from "../start/headless.ts";
import { isRunHere } from "../start/is-run-here.ts";
import { progressFor } from "../start/stderr-progress.ts";
import { childHost } from "../start/this-process.ts";

export const command: Command = ([task], values) => {
	refuseRef(task, isRunHere);
	const supervisor = supervisorAround(process, openProcessTable(process.env));
	if (supervisor !== undefined) {
		refuseDetach(values);
		return startChild(supervisor, { task, values }, childHost(values));
	}
	const request = readRunRequest(task, values, { env: process.env, cwd: () => workingDirectory(process.cwd) });
	if (values.detach === true) return startDetached(request);
	return headless(request, progressFor(request));
};
