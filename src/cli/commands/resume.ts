/** `agent resume`: resumes an interrupted run from its files, in the same directory, under the same id. */

import { supervisorAround } from "../../agent/start/supervisor-of-mark.ts";
import { resumeChild } from "../../agent/start-agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import { isAgentId, ROOT } from "../../core/model/agent.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import { readNarrowing } from "../../project/config/asking-options.ts";
import type { Command } from "../../project/config/command-table.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { complain } from "../../terminal/print.ts";
import { hasScreen } from "../io/has-screen.ts";
import { childHost } from "../start/child-host.ts";
import { finishAnswered } from "../start/finish-answered.ts";
import { headlessPrepared } from "../start/headless.ts";
import { showPrepared } from "../start/on-screen.ts";
import { openEndedRun } from "../start/open-ended-run.ts";
import { hasAnswered, prepareResume } from "../start/prepare-resume.ts";
import { readTaskOf } from "../start/prepare-run.ts";
import { resumeRequest } from "../start/resume-request.ts";
import { runHost } from "../start/run-host.ts";
import { progressFor, treeProgress } from "../start/stderr-progress.ts";

export const command: Command = ([ref, message], values) => resume(ref, message, values);

/** Throws AgentreeError. */
export async function resume(
	ref: string | undefined,
	message: string | undefined,
	values: OptionValues,
): Promise<number> {
	const supervisor = supervisorAround(process, openProcessTable(process.env));
	if (supervisor !== undefined) {
		if (ref === undefined || !isAgentId(ref))
			throw new AgentreeError("usage", "inside a run, agent resume takes up a child agent: agent resume 1.2");
		if (readNarrowing(values) !== undefined)
			throw new AgentreeError("usage", "an agent that goes on keeps its own --ask, --ask-for and --deny");
		return resumeChild(supervisor, { agent: ref, message, values }, childHost(values));
	}
	const { file, ...before } = await openEndedRun(ref, values);
	if (before.state.agents[ROOT]?.paused !== undefined)
		complain(`agent: run ${file.run} is paused: agent continue ${file.run} lets it go on`);
	const request = resumeRequest(message, values, { file, ...before });
	const said = message === "-" || request.readsStdin ? await readTaskOf(request) : message;
	const format = request.outputFormat ?? "text";
	if (hasAnswered(before.state) && said === undefined) return finishAnswered({ file, ...before }, format);
	const isTree = values.tree === true && hasScreen();
	const rootStdio = format === "text" && !isTree ? "inherit" : "ignore";
	const resumed = { request, message: said };
	const prepared = await prepareResume({ file, ...before }, resumed, {
		...runHost(),
		rootStdio,
		face: isTree ? "screen" : "none",
	});
	if (isTree) return showPrepared(prepared);
	return headlessPrepared(prepared, format, values.tree === true ? treeProgress(request) : progressFor(request));
}
