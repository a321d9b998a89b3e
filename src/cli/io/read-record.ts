/**
 * What a command reads of the run's record: the files themselves, or, in a sandbox that hides them, a copy of what they have of an agent, which
 * the supervisor makes for agents above it. Such a copy is read as a run, and removed.
 */

import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import type { Io } from "../../faces/print/io.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import { namesIn } from "../../record/files/regular-file.ts";
import { agentDirectory, runFilePath } from "../../record/run-directory.ts";
import { RecordedRun, type SandboxedRun } from "../../record/run-source.ts";
import { askRun } from "./ask-run.ts";
import { findRunFor, sandboxedRun, stateDirectoryFor } from "./find-run.ts";

export interface OpenRecord {
	readonly source: RecordedRun;
	/** Exists in the run; undefined when the ref names none. */
	readonly agent?: AgentId;
	/** Where people, and agents, find the files. */
	readonly told: string;
	/** Its processes cannot be seen from here. */
	readonly isCopy: boolean;
}

export async function readRecord(
	{ ref, follow }: { readonly ref?: string | undefined; readonly follow?: boolean },
	io: Io,
	read: (found: OpenRecord) => number | Promise<number>,
): Promise<number> {
	const home = stateDirectoryFor(io);
	const hidden = sandboxedRun(io, home, ref);
	if (hidden === undefined) {
		const { directory, agent } = findRunFor(io, home, ref);
		return read({ source: new RecordedRun(directory), ...defined({ agent }), told: directory, isCopy: false });
	}
	if (follow)
		throw new AgentreeError(
			"refused",
			"--follow needs the files of the run, which the sandbox hides; to wait for an agent: agent wait",
		);
	const own = parseCookie(io.env)?.agent ?? ROOT;
	const agent = hidden.isNamed ? hidden.agent : own;
	const isWhole = agent === ROOT && !hidden.isNamed;
	const directory = await copyOf(hidden, agent, io);
	try {
		const found = { source: new RecordedRun(directory, hidden.run), told: hidden.directory, isCopy: true };
		return await read(isWhole ? found : { ...found, agent });
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

async function copyOf(hidden: SandboxedRun, agent: AgentId, io: Io): Promise<string> {
	const asked = { request: { say: "copy_record", agent }, answer: "record_copied" } as const;
	const { directory } = await askRun({ run: hidden.run, directory: hidden.directory, agent, hidden }, asked, io);
	standIn(directory, io);
	const logsIn = (run: string) => join(agentDirectory(run, agent), "out");
	copyLogs(logsIn(hidden.directory), logsIn(directory));
	return directory;
}

/** The supervisor, which has just answered, is not seen from here: this process stands for it. */
function standIn(directory: string, { env }: Io): void {
	const path = runFilePath(directory);
	const { pid } = process;
	const start_time = openProcessTable(env).read(pid)?.startTime ?? "0";
	writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), supervisor: { pid, start_time } }));
}

const MAX_LOG_BYTES = 1024 * 1024;

/** Of commands that are running the end is shown. */
function copyLogs(from: string, to: string): void {
	mkdirSync(to, { recursive: true });
	for (const name of namesIn(from)) {
		const found = statSync(join(from, name), { throwIfNoEntry: false });
		if (found?.isFile() && found.size <= MAX_LOG_BYTES) copyFileSync(join(from, name), join(to, name));
	}
}
