/**
 * `agent run`: the supervisor is this process, or with `--detach` one of its own. With `--continue` and `--resume` the task is
 * the next message of a conversation. Inside a run: a child agent.
 */

import { supervisorAround } from "../../agent/start/supervisor-of-mark.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import { stateDirectoryOf } from "../../project/config/chosen-directory.ts";
import type { Command } from "../../project/config/command-table.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { refuseRef } from "../../project/config/refuse-ref.ts";
import type { RequestHost } from "../../project/config/run-request.ts";
import { formerDirectory, workingDirectory } from "../../project/config/working-directory.ts";
import { complain } from "../../terminal/print.ts";
import { mayDeliver } from "../../terminal/stdin.ts";
import { type AskedSession, askedSession, refuseSession, sessionWithoutChoice } from "../sessions/asked-session.ts";
import { forkRun } from "../sessions/fork-run.ts";
import { refuseLiving } from "../sessions/refuse-living.ts";
import { withSessionDirectory } from "../sessions/session-directory.ts";
import { refuseOfRun, startDetached } from "../start/detached.ts";
import { headless } from "../start/headless.ts";
import { isRunHere } from "../start/is-run-here.ts";
import { openEndedRun } from "../start/open-ended-run.ts";
import { prepareResume } from "../start/prepare-resume.ts";
import { prepareRun, told } from "../start/prepare-run.ts";
import { resumeRequest } from "../start/resume-request.ts";
import { runHost } from "../start/run-host.ts";
import { startChild } from "../start/start-child.ts";
import { readStartRequest, type StartRequest } from "../start/start-request.ts";
import { progressFor } from "../start/stderr-progress.ts";
import { isStreamInput } from "../start/stream-input-option.ts";
import { converseOnStream } from "../stream/stream-conversation.ts";
import { resume } from "./resume.ts";

export const command: Command = async ([task], values) => {
	refuseRef(task, isRunHere);
	const host = { env: process.env, cwd: () => workingDirectory(process.cwd) };
	const supervisor = supervisorAround(process, openProcessTable(process.env));
	if (supervisor !== undefined) {
		refuseOfRun(values);
		refuseSession(values);
		return startChild(supervisor, { task, values }, host.cwd);
	}
	const asked = askedSession(values);
	const isStream = isStreamInput(values, task);
	if (asked.is !== "new") return goOn(asked, task, { values, isStream });
	if (isStream) return streamNew(task, values, host);
	const request = await readStartRequest(task, values, host);
	if (values.detach === true) return startDetached(request);
	return headless(request, progressFor(request));
};

/** A program talks with the run. */
const WITH_PROGRAM = { rootStdio: "ignore", face: "later" } as const;

async function streamNew(task: string | undefined, values: OptionValues, host: RequestHost): Promise<number> {
	const request: StartRequest = { ...(await readStartRequest(task, values, host)), isStdinTaken: true };
	const { outputFormat: format = "text" } = request;
	const begin = (first: string | undefined) => prepareRun({ ...request, task: first }, WITH_PROGRAM, runHost());
	const how = { begin, isResumed: false, first: task, format, progress: progressFor(request), input: process.stdin };
	return converseOnStream(how);
}

/** As `agent resume` goes on with it; without a message, with what was interrupted. */
function goOn(
	asked: Exclude<AskedSession, { is: "new" }>,
	task: string | undefined,
	{ values: given, isStream }: { values: OptionValues; isStream: boolean },
): Promise<number> {
	const { continue: _, resume: __, fork, "input-format": ___, ...values } = given;
	const cwd = formerDirectory(process, process.env.PWD);
	const host = runHost();
	const home = told(stateDirectoryOf({ ...host, cwd }));
	const found = sessionWithoutChoice(asked, { home, cwd });
	const say = (line: string) => (values.quiet === true ? undefined : complain(`agent: ${line}`));
	if (fork !== true) refuseLiving(found);
	const { run, file } = fork === true ? forkRun(found, {}, { ...host, home }) : found;
	if (run !== found.run) say(`run ${run} is a copy of run ${found.run}, which stays as it is`);
	const placed = withSessionDirectory(values, file, { here: cwd, say });
	if (isStream) return streamOn(run, task, placed);
	const message = task ?? (mayDeliver() ? "-" : undefined);
	return resume(run, message, placed);
}

async function streamOn(ref: string, message: string | undefined, values: OptionValues): Promise<number> {
	const before = await openEndedRun(ref, values);
	const request = resumeRequest(message, values, before);
	const { outputFormat: format = "text" } = request;
	const begin = (first: string | undefined) =>
		prepareResume(before, { request, message: first }, { ...runHost(), ...WITH_PROGRAM });
	const how = { begin, isResumed: true, first: message, format, progress: progressFor(request), input: process.stdin };
	return converseOnStream(how);
}
