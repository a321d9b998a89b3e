/** `agent tree`: a dashboard in front, a supervisor process behind. The answer is printed when the dashboard closes. */

import { basename, join } from "node:path";
import { findOwnSupervisor } from "../agent/own-supervisor.ts";
import { CANNOT_WRITE, cannotWrite, complain, type Printed, print, printable, printFile } from "../agent/print.ts";
import { type OptionValues, type RunRequest, readRunRequest } from "../config/run-options.ts";
import { workingDirectory } from "../config/working-directory.ts";
import { ROOT } from "../core/agent.ts";
import { AgentreeError } from "../core/errors.ts";
import { describeEnding } from "../core/format.ts";
import { textOf } from "../core/model.ts";
import { openProcessTable } from "../processes/open-table.ts";
import { connectTo } from "../protocol/connection.ts";
import type { FromWatcher, ToWatcher } from "../protocol/messages.ts";
import { readTranscript } from "../store/read-events.ts";
import { readRunFile } from "../store/read-run.ts";
import { agentDirectory } from "../store/run-directory.ts";
import { prepareRun } from "./prepare-run.ts";
import { createProgress } from "./progress.ts";
import { headless, runHeadless } from "./run.ts";
import { type SpawnedSupervisor, spawnSupervisor } from "./spawn-supervisor.ts";

export async function runTree(task: string | undefined, values: OptionValues): Promise<number> {
	if (findOwnSupervisor(process, openProcessTable(process.env)) !== undefined) return runHeadless(task, values);
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
	const { stdin, stdout, env } = process;
	const isTerminal = stdout.isTTY === true && stdin.isTTY === true && env.TERM !== "dumb";
	if (!isTerminal)
		return headless(request, createProgress(request.isQuiet ? "none" : request.isVerbose ? "all" : "main", complain));
	const place = { env, now: Date.now(), random: Math.random, uid: process.getuid?.() ?? 0 };
	const prepared = await prepareRun(request, "ignore", place);
	const supervisor = await spawnSupervisor(prepared);
	const { run, socket } = prepared.settings;
	process.title = `agent dashboard ${run}`; // the task is no longer in argv, where `pkill -f` would find it
	try {
		const connection = await connectTo<ToWatcher, FromWatcher>(socket);
		const { showDashboard } = await import("../dashboard/main.ts");
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
	} catch (error) {
		supervisor.letGo();
		complain(
			`agent: the dashboard failed: ${(error as Error).message}\nrun ${run} goes on: agent ps; agent show ${run} --follow`,
		);
		return 70;
	}
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
	if (ending.by !== "answer") complain(`agent ${ROOT}: ${describeEnding(ending)}`);
	return exitCode || (printed.is === "failed" ? CANNOT_WRITE : 0);
}

/** The root's newest text: its answer, or what there is of one; for `shell` the bytes that its command printed. */
function printLastWords(directory: string, model: string): Promise<Printed> {
	const entries = readTranscript(directory, ROOT).values;
	const command = entries.flatMap((entry) => (entry.role === "user" ? (entry.commands ?? []) : [])).at(-1);
	if (model === "shell" && command?.log !== undefined)
		return printFile(1, join(agentDirectory(directory, ROOT), command.log));
	const texts = entries.map((entry) => (entry.role === "assistant" ? textOf(entry.content) : ""));
	return print(1, printable(texts.findLast((text) => text !== "") ?? ""));
}
