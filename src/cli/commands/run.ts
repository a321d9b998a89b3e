/**
 * `agent run`: the supervisor is this process, or with `--detach` one of its own. With `--continue` and `--resume` the task is
 * the next message of a conversation. Inside a run: a child agent.
 */

import { supervisorAround } from "../../agent/start/supervisor-of-mark.ts";
import { stateDirectoryOf } from "../../config/chosen-directory.ts";
import type { Command } from "../../config/command-table.ts";
import type { OptionValues } from "../../config/option-table.ts";
import { refuseRef } from "../../config/refuse-ref.ts";
import { formerDirectory, workingDirectory } from "../../config/working-directory.ts";
import { openProcessTable } from "../../processes/open-table.ts";
import { complain } from "../../terminal/print.ts";
import { mayDeliver } from "../../terminal/stdin.ts";
import { type AskedSession, askedSession, refuseSession, sessionWithoutChoice } from "../sessions/asked-session.ts";
import { forkRun } from "../sessions/fork-run.ts";
import { refuseLiving } from "../sessions/refuse-living.ts";
import { withSessionDirectory } from "../sessions/session-directory.ts";
import { startAskedChild } from "../start/asked-child.ts";
import { refuseOfRun, startDetached } from "../start/detached.ts";
import { headless } from "../start/headless.ts";
import { isRunHere } from "../start/is-run-here.ts";
import { told } from "../start/prepare-run.ts";
import { runHost } from "../start/run-host.ts";
import { readStartRequest } from "../start/start-request.ts";
import { progressFor } from "../start/stderr-progress.ts";
import { resume } from "./resume.ts";

export const command: Command = async ([task], values) => {
	refuseRef(task, isRunHere);
	const host = { env: process.env, cwd: () => workingDirectory(process.cwd) };
	const supervisor = supervisorAround(process, openProcessTable(process.env));
	if (supervisor !== undefined) {
		refuseOfRun(values);
		refuseSession(values);
		return startAskedChild(supervisor, { task, values }, host.cwd);
	}
	const asked = askedSession(values);
	if (asked.is !== "new") return goOn(asked, task, values);
	const request = await readStartRequest(task, values, host);
	if (values.detach === true) return startDetached(request);
	return headless(request, progressFor(request));
};

/** As `agent resume` goes on with it; without a message, with what was interrupted. */
function goOn(
	asked: Exclude<AskedSession, { is: "new" }>,
	task: string | undefined,
	{ continue: _, resume: __, fork, ...values }: OptionValues,
): Promise<number> {
	const cwd = formerDirectory(process, process.env.PWD);
	const host = runHost();
	const home = told(stateDirectoryOf({ ...host, cwd }));
	const found = sessionWithoutChoice(asked, { home, cwd });
	const say = (line: string) => (values.quiet === true ? undefined : complain(`agent: ${line}`));
	if (fork !== true) refuseLiving(found);
	const { run, file } = fork === true ? forkRun(found, {}, { ...host, home }) : found;
	if (run !== found.run) say(`run ${run} is a copy of run ${found.run}, which stays as it is`);
	const message = task ?? (mayDeliver() ? "-" : undefined);
	return resume(run, message, withSessionDirectory(values, file, { here: cwd, say }));
}
