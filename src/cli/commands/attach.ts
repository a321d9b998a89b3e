/** `agent attach`: the dashboard on a run that was started elsewhere, or that is over. Any number of them may look at one run. */

import { join } from "node:path";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { namesOfRuns } from "../../core/run/run-id.ts";
import type { DashboardEnd } from "../../faces/dashboard/show-dashboard.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { linkToRun } from "../../record/living-run.ts";
import { type FoundRun, findRun, listRuns } from "../../record/read-run.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { BUGS_FILE } from "../../terminal/bugs.ts";
import { runSummary } from "../../view/agents/listed-run.ts";
import type { RunLink } from "../../wire/run-client.ts";
import { newestLiving, stateDirectoryFor } from "../io/find-run.ts";
import { supervisorHere } from "../io/inside-run.ts";
import { notifierIn } from "../io/notifier.ts";
import { bugs, hasScreen, type PrintingCommand } from "../io/process-io.ts";

/** Without a ref: the newest living run of this directory, else the newest one. */
export const attach: PrintingCommand = async ([ref], _, io) => {
	if (supervisorHere() !== undefined)
		// whatever terminal a process inside a run may have made for itself
		throw new AgentreeError("refused", "agents cannot use agent attach; use agent ps, agent show or agent log");
	const home = stateDirectoryFor(io);
	const found = (ref === undefined ? newestLiving(home, io.cwd) : undefined) ?? findRun(home, ref, io.cwd);
	requireScreen(found);
	const source = new RecordedRun(found.directory);
	const link = await linkToRun(source, { uid: io.uid, warn: (damage) => warn(io, damage) });
	const end = await showRun(source, { link, selected: found.agent }, io);
	link.close();
	io.stderr(`${runSummary(end.run, namesOfRuns(listRuns(home)).get(found.run) ?? found.run, io.now())}\n`);
	return end.by === "signal" ? 128 + end.signal : 0;
};

function requireScreen({ run }: FoundRun): void {
	if (hasScreen()) return;
	throw new AgentreeError(
		"usage",
		`agent attach needs a full terminal; without one: agent show ${run} --follow, or agent log ${run} --follow`,
	);
}

async function showRun(
	record: RecordedRun,
	{ link: connection, selected }: { link: RunLink; selected: AgentId | undefined },
	io: Io,
): Promise<DashboardEnd> {
	process.title = `agent dashboard ${record.run}`;
	bugs.file = join(record.directory, BUGS_FILE);
	bugs.onBug = async ({ line }) => io.stderr(`agent: the dashboard failed: ${line}\n`);
	const notify = await notifierIn(io.env, io.cwd);
	const { showDashboard } = await import("../../faces/dashboard/show-dashboard.ts");
	return showDashboard({
		...{ record, connection, isAttached: true, ...defined({ selected, notify }) },
		...{ input: process.stdin, output: process.stdout, env: io.env, now: io.now },
	});
}
