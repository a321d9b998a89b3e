/** The link of an attached dashboard: to the run's supervisor while that lives, else to the run's files. */
import { statSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunLink } from "../../faces/dashboard/options.ts";
import { type Io, loadRunNow, warn } from "../../faces/print/io.ts";
import { type FoundRun, readRunFile } from "../../record/read-run.ts";
import { supervisorAt, supervisorProcess } from "../../record/supervisor-process.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import { LivingRun } from "./living-run.ts";

const ROOT_UID = 0;

/** `talks`: of a conversation. Throws AgentreeError: `refused` when the run is not this user's; `out_of_reach` when its supervisor lives and does not answer. */
export async function linkToRun(
	found: FoundRun,
	io: Io,
	{ talks = false }: { talks?: boolean } = {},
): Promise<RunLink | LivingRun> {
	const { directory, run } = found;
	const file = readRunFile(directory);
	if (file.endedAt !== undefined || supervisorProcess(found, file).is === "dead") return recorded(found, io);
	requireOwner(found, io);
	const supervisor = supervisorAt(file.socket, () => supervisorProcess(found, file).is);
	const living = new LivingRun(supervisor, () => stateNow(directory), { talks });
	const reached = await living.open();
	switch (reached.is) {
		case "watching":
			return living;
		case "over":
			return recorded(found, io);
		case "refused":
			throw new AgentreeError("refused", `run ${run} does not let this process watch it: ${reached.reason}`);
		case "unreachable":
			throw new AgentreeError(
				"out_of_reach",
				`run ${run} is alive, and ${reached.why}: agent show ${run} --follow, or agent log ${run} --follow`,
			);
	}
}

function recorded({ directory }: FoundRun, io: Io): RunLink {
	const { state, damage } = loadRunNow(directory);
	warn(io, damage);
	return recordedRun(state);
}

/** Undefined when the files cannot be read any more. */
function stateNow(directory: string): RunState | undefined {
	try {
		return loadRunNow(directory).state;
	} catch (error) {
		if (error instanceof AgentreeError) return undefined;
		throw error;
	}
}

/** The socket of another user's run is closed to this one. The system's root may do everything. */
function requireOwner({ run, directory }: FoundRun, { uid }: Io): void {
	const owner = statSync(directory, { throwIfNoEntry: false })?.uid;
	if (owner === undefined || owner === uid || uid === ROOT_UID) return;
	throw new AgentreeError(
		"refused",
		`run ${run} belongs to user ${owner}, and you are ${uid}: only its owner can attach to it`,
	);
}

/** A run that is over, for a dashboard: its files tell the whole, once. */
function recordedRun(state: RunState): RunLink {
	let listener: (message: ToWatcher) => void = () => {};
	return {
		onMessage: (next) => {
			listener = next;
		},
		onClose: () => {},
		send: ({ say }) => {
			if (say === "watch") listener({ say: "snapshot", state });
		},
	};
}
