/** `agent run`: the supervisor is this process. stdout is the answer, or the format that was asked for. */

import { discoverSupervisor } from "../../agent/start/discover-supervisor.ts";
import { startChild } from "../../agent/start-agent.ts";
import type { Command } from "../../config/command-table.ts";
import type { OptionValues } from "../../config/option-table.ts";
import type { OutputFormat } from "../../config/output-format.ts";
import { type RunRequest, readRunRequest } from "../../config/run-options.ts";
import { workingDirectory } from "../../config/working-directory.ts";
import { type Ending, ROOT } from "../../core/agent.ts";
import { openProcessTable } from "../../processes/open-table.ts";
import { runDirectory } from "../../store/run-directory.ts";
import type { SupervisorHost } from "../../supervisor/host.ts";
import { complain, print } from "../../terminal/print.ts";
import { describeEnding } from "../../text/states.ts";
import { bugs } from "../bugs.ts";
import { exitCodeAfter } from "../process-io.ts";
import { hostSupervisor } from "../start/host-supervisor.ts";
import { type PreparedRun, prepareRun } from "../start/prepare-run.ts";
import { printLastWords } from "../start/print-last-words.ts";
import { createProgress, type Progress } from "../text/progress.ts";
import { createResultWriter } from "../text/result-writer.ts";

export const command: Command = ([task], values) => runHeadless(task, values);

export async function runHeadless(task: string | undefined, values: OptionValues): Promise<number> {
	const supervisor = discoverSupervisor(process, openProcessTable(process.env));
	if (supervisor !== undefined) return startChild(supervisor, { task, values }, childHost());
	const request = readRunRequest(task, values, { env: process.env, cwd: () => workingDirectory(process.cwd) });
	return headless(request, progressFor(request));
}

export function progressFor({ isQuiet, isVerbose }: Pick<RunRequest, "isQuiet" | "isVerbose">): Progress {
	const isTerminal = process.stderr.isTTY === true;
	return createProgress(isQuiet ? "none" : isVerbose ? "all" : isTerminal ? "main" : "trouble", complain);
}

/** As SIGPIPE would end any other program, and as quietly: `| head -1` had what it wanted. */
const READER_GONE = { by: "stopped", reason: "nobody reads stdout any more", signal: 13 } as const;

/** Exits with the root's code. Also what `agent tree` falls back to without a terminal. */
export async function headless(request: RunRequest, progress: Progress): Promise<number> {
	const format = request.outputFormat ?? "text";
	const { env, getuid } = process;
	const place = { env, now: Date.now(), random: Math.random, uid: getuid?.() ?? 0 };
	const prepared = await prepareRun(request, format === "text" ? "inherit" : "ignore", place);
	return headlessPrepared(prepared, format, progress);
}

export async function headlessPrepared(
	prepared: PreparedRun,
	format: OutputFormat,
	progress: Progress,
): Promise<number> {
	const writer = createResultWriter(format, prepared.settings, (text) => print(1, text));
	const listeners: Pick<SupervisorHost, "onEvent" | "onRecord" | "onDelta"> = {
		onEvent: (event, run) => {
			progress(event);
			writer.onEvent(event, run);
		},
		onRecord: writer.onRecord,
		onDelta: writer.onDelta,
	};
	const { supervisor, ended } = await hostSupervisor(prepared, listeners);
	writer.onClosed(() => supervisor.stop(READER_GONE));
	const end = await ended;
	const { run, home, model } = prepared.settings;
	const hasNotPrinted = format === "text" && end.rootFinish === undefined && !isReaderGone(end.ending); // killed, say
	const written = await writer.end(end, supervisor.run());
	const printed = hasNotPrinted ? await printLastWords(runDirectory(home, run), model) : written;
	if (end.leftRunning !== undefined && end.leftRunning.length > 0)
		complain(`agent: left running: ${end.leftRunning.map(({ pid, name }) => `${pid} (${name})`).join(", ")}`);
	if (end.survivors.length > 0) complain(`agent: still alive, and could not be ended: ${end.survivors.join(", ")}`);
	const isSaid = end.isAbandoned === true; // with where the stack is
	const isWorthALine = end.ending.by !== "answer" && !isReaderGone(end.ending) && !isSaid;
	if (!(format === "text" && end.rootFinish !== undefined) && isWorthALine)
		complain(`agent ${ROOT}: ${describeEnding(end.ending)}`);
	return exitCodeAfter(printed, end.exitCode, prepared.settings.run);
}

function isReaderGone(ending: Ending): boolean {
	return ending.by === "stopped" && ending.signal === READER_GONE.signal;
}

export function childHost() {
	const { env, pid } = process;
	const setTitle = (title: string) => {
		process.title = title;
	};
	return {
		env,
		pid,
		cwd: () => workingDirectory(process.cwd),
		table: openProcessTable(env),
		now: Date.now,
		setTitle,
		bugs,
		loadRestore: () => import("../../agent/context/restore.ts"),
	};
}
