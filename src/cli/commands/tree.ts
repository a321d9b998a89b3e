/** `agent tree`: a dashboard in front, a supervisor process behind. The answer is printed when the dashboard closes. */

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { discoverSupervisor } from "../../agent/start/discover-supervisor.ts";
import type { Command } from "../../config/command-table.ts";
import type { OptionValues } from "../../config/option-table.ts";
import { type RunRequest, readRunRequest } from "../../config/run-options.ts";
import { workingDirectory } from "../../config/working-directory.ts";
import { ROOT } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import { EXIT } from "../../core/exit-code.ts";
import { openProcessTable } from "../../processes/open-table.ts";
import { connectAsWatcher } from "../../protocol/watcher-connection.ts";
import { readRunFile } from "../../store/read-run.ts";
import { BUGS_FILE } from "../../terminal/bugs.ts";
import { CANNOT_WRITE, cannotWrite, complain } from "../../terminal/print.ts";
import { describeEnding } from "../../text/states.ts";
import { bugs } from "../bugs.ts";
import { type PreparedRun, prepareRun } from "../start/prepare-run.ts";
import { printLastWords } from "../start/print-last-words.ts";
import { type SpawnedSupervisor, spawnSupervisor } from "../start/spawn-supervisor.ts";
import { createProgress, type Progress } from "../text/progress.ts";
import { headless, runHeadless } from "./run.ts";

export const command: Command = ([task], values) => runTree(task, values);

export async function runTree(task: string | undefined, values: OptionValues): Promise<number> {
	if (discoverSupervisor(process, openProcessTable(process.env)) !== undefined) return runHeadless(task, values);
	const request = readRunRequest(task, values, { env: process.env, cwd: () => workingDirectory(process.cwd) });
	if (request.outputFormat !== undefined && request.outputFormat !== "text")
		throw new AgentreeError(
			"usage",
			`--output-format ${request.outputFormat} is for agent run; agent tree prints the answer as text`,
		);
	return showTree(request);
}

/** Without a terminal: the same run with progress lines on stderr. */
export async function showTree(request: RunRequest): Promise<number> {
	if (!hasScreen()) return headless(request, treeProgress(request));
	const place = { env: process.env, now: Date.now(), random: Math.random, uid: process.getuid?.() ?? 0 };
	return showPrepared(await prepareRun(request, "ignore", place));
}

/** Is there a terminal that a dashboard can be shown in? */
export function hasScreen(): boolean {
	const { stdin, stdout, env } = process;
	return stdout.isTTY === true && stdin.isTTY === true && env.TERM !== "dumb";
}

export function treeProgress({ isQuiet, isVerbose }: Pick<RunRequest, "isQuiet" | "isVerbose">): Progress {
	return createProgress(isQuiet ? "none" : isVerbose ? "all" : "main", complain);
}

export async function showPrepared(prepared: PreparedRun): Promise<number> {
	const { stdin, stdout, env } = process;
	const supervisor = await spawnSupervisor(prepared);
	const { run, socket } = prepared.settings;
	process.title = `agent dashboard ${run}`; // the task is no longer in argv, where `pkill -f` would find it
	bugs.file = join(supervisor.directory, BUGS_FILE);
	bugs.onBug = async ({ line }) =>
		complain(`agent: the dashboard failed: ${line}\nrun ${run} goes on: agent ps; agent show ${run} --follow`);
	const connection = await connectAsWatcher(socket);
	const { showDashboard } = await import("../../dashboard/main.ts");
	const end = await showDashboard({
		runDirectory: supervisor.directory,
		connection,
		input: stdin,
		output: stdout,
		env,
		now: Date.now,
	});
	if (end.by !== "left_running") return await finish(supervisor);
	supervisor.letGo();
	complain(`run ${run} goes on without the dashboard: agent ps; agent show ${run} --follow; agent stop ${run}`);
	return 0;
}

async function finish(supervisor: SpawnedSupervisor): Promise<number> {
	await supervisor.exited;
	const { ending, exit_code: exitCode, model } = readRunFile(supervisor.directory);
	if (ending === undefined || exitCode === undefined) {
		complain(`agent: the supervisor died without a word; what there is: agent show`);
		return 75;
	}
	const printed = await printLastWords(supervisor.directory, model);
	if (printed.is === "failed") complain(cannotWrite(printed.reason, basename(supervisor.directory)));
	const bugsFile = join(supervisor.directory, BUGS_FILE);
	const stack = exitCode === EXIT.bug && existsSync(bugsFile) ? `; its stack is in ${bugsFile}, please report it` : "";
	if (ending.by !== "answer") complain(`agent ${ROOT}: ${describeEnding(ending)}${stack}`);
	return exitCode || (printed.is === "failed" ? CANNOT_WRITE : 0);
}
