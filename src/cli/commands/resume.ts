/** `agent resume`: resumes an interrupted run from its files, in the same directory, under the same id. */

import { supervisorAround } from "../../agent/start/supervisor-of-mark.ts";
import { resumeChild } from "../../agent/start-agent.ts";
import { stateDirectoryOf } from "../../config/chosen-directory.ts";
import type { Command } from "../../config/command-table.ts";
import type { OptionValues } from "../../config/option-table.ts";
import { type RunRequest, readRunRequest } from "../../config/run-request.ts";
import { socketPath } from "../../config/state-directory.ts";
import { formerDirectory, workingDirectory } from "../../config/working-directory.ts";
import { isAgentId, ROOT } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import { LIMIT_TABLE } from "../../core/limits.ts";
import { reduce } from "../../core/run-state.ts";
import type { RunFile } from "../../core/transcript.ts";
import { openProcessTable } from "../../processes/open-table.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { loadRunState } from "../../store/load-run.ts";
import { replaceSafely } from "../../store/private-files.ts";
import { findRun, readRunFile } from "../../store/read-run.ts";
import { damageByKind } from "../../store/recovery/damage.ts";
import { lostAgents } from "../../store/recovery/lost-agents.ts";
import { rebuiltRunFile } from "../../store/recovery/rebuilt-run-file.ts";
import { requireValid } from "../../store/recovery/valid-directory.ts";
import { runFilePath } from "../../store/run-directory.ts";
import { complain } from "../../terminal/print.ts";
import { hasScreen } from "../io/has-screen.ts";
import { finishAnswered } from "../start/finish-answered.ts";
import { requireOrigin } from "../start/foreign-run.ts";
import { headlessPrepared } from "../start/headless.ts";
import { showPrepared } from "../start/on-screen.ts";
import { type EndedRun, hasAnswered, prepareResume } from "../start/prepare-resume.ts";
import { readTaskOf, told } from "../start/prepare-run.ts";
import { requireDirectory, requireKnownVersion, requireOriginal, requireOver, requireOwn } from "../start/resumable.ts";
import { progressFor, treeProgress } from "../start/stderr-progress.ts";
import { childHost, runHost } from "../start/this-process.ts";

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
		return resumeChild(supervisor, { agent: ref, message, values }, childHost(values));
	}
	const { file, ...before } = await endedRun(ref, values);
	requireDirectory(file, values.cd !== undefined);
	if (before.state.agents[ROOT]?.paused !== undefined)
		complain(`agent: run ${file.run} is paused: agent continue ${file.run} lets it go on`);
	const request = requestOf(message, { cd: file.cwd, ...values });
	const said = message === "-" || request.readsStdin ? await readTaskOf(request) : message;
	const format = request.outputFormat ?? "text";
	if (hasAnswered(before.state) && said === undefined) return finishAnswered({ file, ...before }, format);
	const isTree = values.tree === true && hasScreen();
	const rootStdio = format === "text" && !isTree ? "inherit" : "ignore";
	const resumed = { request, message: said };
	const prepared = await prepareResume({ file, ...before }, resumed, { ...runHost(), rootStdio });
	if (isTree) return showPrepared(prepared);
	return headlessPrepared(prepared, format, values.tree === true ? treeProgress(request) : progressFor(request));
}

async function endedRun(ref: string | undefined, values: OptionValues): Promise<EndedRun> {
	const cwd = formerDirectory(process, process.env.PWD);
	const uid = process.getuid?.() ?? 0;
	const home = told(stateDirectoryOf({ env: process.env, cwd, uid }));
	const { run, directory, agent = ROOT } = findRun(home, ref, cwd);
	if (agent !== ROOT)
		throw new AgentreeError(
			"usage",
			`only a whole run can be resumed from outside: agent resume ${run}; its agents then take up their own child agents`,
		);
	requireOwn(directory, run, uid);
	requireValid(directory);
	const { file, damage: lost } = reopenRunFile(directory, run);
	requireOriginal(directory, file);
	requireKnownVersion(file);
	const { state: recorded, damage } = loadRunState(directory, () => false, { readFile: file });
	const state = lostAgents(directory, recorded).reduce(reduce, recorded);
	requireOrigin({ directory, file, state }, { isAgreed: values.yes === true, cwd: String(values.cd ?? file.cwd) });
	const held = await requireOver(directory, file, SYSTEM_CLOCK.now());
	if (lost !== undefined) {
		replaceSafely(runFilePath(directory), file);
		complain(`agent: ${lost}`);
	}
	for (const what of damageByKind(damage)) complain(`agent: ${what}`);
	return { home, directory, file, state, held };
}

/** `damage` says why run.json had to be made from other files; it is not written yet. */
function reopenRunFile(directory: string, run: string): { file: RunFile; damage?: string } {
	try {
		return { file: readRunFile(directory) };
	} catch (error) {
		const socket = socketPath(process.env, process.getuid?.() ?? 0, run);
		const file = error instanceof AgentreeError ? rebuiltRunFile(directory, socket) : undefined;
		if (file === undefined) throw error;
		return { file, damage: `${(error as Error).message}; written anew from the run's other files` };
	}
}

/** A resumed run keeps its model and its limits: only a flag changes them, not a variable that is set for new runs. */
function requestOf(message: string | undefined, { tree: _, yes: __, ...values }: OptionValues): RunRequest {
	const ofNewRuns = [
		"AGENTREE_MODEL",
		"ANTHROPIC_MODEL",
		"AGENTREE_COMPACT_AT",
		...LIMIT_TABLE.map(({ variable }) => variable),
	];
	const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofNewRuns.includes(name)));
	const request = readRunRequest(message, values, { env, cwd: () => workingDirectory(process.cwd) });
	if (values.tree === true && request.outputFormat !== undefined && request.outputFormat !== "text")
		throw new AgentreeError("usage", "--tree prints the answer as text; --output-format is for a run without it");
	return request;
}
