/** A run with a dashboard in front and a supervisor process behind. The answer is printed when the dashboard closes. */

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { defined } from "../../core/defined.ts";
import { EXIT } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import { keptWorktreeLines } from "../../faces/print/kept-worktrees.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { laterLines } from "../../project/undo/runs-later.ts";
import { replayRun } from "../../record/load-run.ts";
import { readRunFile } from "../../record/read-run.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { BUGS_FILE } from "../../terminal/bugs.ts";
import { CANNOT_WRITE, cannotWrite, complain } from "../../terminal/print.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { HeldSignals } from "../../tui/terminal/system-events.ts";
import type { SuperviseOrder } from "../../wire/supervise-order.ts";
import { connectAsWatcher } from "../../wire/watcher-connection.ts";
import { notifierIn } from "../io/notifier.ts";
import { bugs } from "../io/process-io.ts";
import { printLastWords } from "../result/last-words.ts";
import { laterLook } from "./later-look.ts";
import { type SpawnedSupervisor, spawnSupervisor } from "./spawn-supervisor.ts";

/** Resolves to the exit code of the run, or 0 when it is left running. */
export async function showRun(order: SuperviseOrder): Promise<number> {
	const { stdin, stdout, env } = process;
	const signals = new HeldSignals().hold();
	const look = laterLook(order.settings);
	const supervisor = await spawnSupervisor(order);
	const { run, socket } = order.settings;
	process.title = `agent dashboard ${run}`; // the task is no longer in argv, where `pkill -f` would find it
	bugs.file = join(supervisor.directory, BUGS_FILE);
	bugs.onBug = async ({ line }) => {
		complain(`agent: the dashboard failed: ${line}`);
		complain(`run ${run} is still running: agent ps; agent show ${run} --follow`);
	};
	const connection = await connectAsWatcher(socket);
	const notify = await notifierIn(env, process.cwd());
	const { showDashboard } = await import("../../faces/dashboard/show-dashboard.ts");
	const end = await showDashboard({
		record: new RecordedRun(supervisor.directory),
		connection,
		input: stdin,
		output: stdout,
		env,
		now: SYSTEM_CLOCK.now,
		onListening: () => signals.release(),
		...defined({ notify }),
	});
	if (end.by !== "left_running") return await finish(supervisor, look);
	supervisor.letGo();
	complain(`run ${run} is still running: agent ps; agent show ${run} --follow; agent stop ${run}; agent attach ${run}`);
	return 0;
}

async function finish(supervisor: SpawnedSupervisor, look: ReturnType<typeof laterLook>): Promise<number> {
	await supervisor.exited;
	const { ending, exitCode, model } = readRunFile(supervisor.directory);
	if (ending === undefined || exitCode === undefined) {
		complain(`agent: the supervisor died without reporting; see what is recorded: agent show`);
		return 75;
	}
	const printed = await printLastWords(supervisor.directory, model);
	if (printed.is === "failed") complain(cannotWrite(printed.reason, basename(supervisor.directory)));
	const left = keptWorktreeLines(replayRun(supervisor.directory).state);
	for (const line of [...left, ...laterLines(look())]) complain(line);
	const bugsFile = join(supervisor.directory, BUGS_FILE);
	const stack = exitCode === EXIT.bug && existsSync(bugsFile) ? `; its stack is in ${bugsFile}, please report it` : "";
	if (ending.by !== "answer") complain(`agent ${ROOT}: ${describeEnding(ending)}${stack}`);
	return exitCode || (printed.is === "failed" ? CANNOT_WRITE : 0);
}
