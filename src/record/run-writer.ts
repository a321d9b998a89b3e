/**
 * The only writer of a run's directory. Lines are appended, one write a line, so whoever reads at the same time sees
 * whole lines and at most one torn one at the end; the small files are replaced whole.
 */

import { randomFillSync } from "node:crypto";
import { closeSync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import type { AgentId } from "../core/model/agent.ts";
import type { RunEvent } from "../core/schemas/run-event.ts";
import type { AgentFile, Origin, RunFile } from "../core/schemas/run-files.ts";
import type { TranscriptEntry } from "../core/schemas/transcript.ts";
import {
	appendLine,
	makeDirectoriesBelow,
	makeNewPrivateDirectory,
	makePrivateDirectory,
	moveAside,
	onDisk,
	openForAppend,
	removeFile,
	replaceJson,
	replaceSafely,
	requireDirectoriesBelow,
	writeAll,
} from "./files/private-files.ts";
import {
	agentDirectory,
	agentFilePath,
	eventsPath,
	reservePath,
	runDirectory,
	runFilePath,
	runsDirectory,
	transcriptPath,
} from "./run-directory.ts";
import { originOf } from "./run-origin.ts";
import { toFile } from "./spelling.ts";

/** Each method throws AgentreeError("not_writable") when the disk does not take it. */
export interface RunWriter {
	readonly directory: string;
	/** Where the directory lies. */
	readonly origin: Origin;
	append(event: RunEvent): void;
	directoryOf(agent: AgentId): string;
	/**
	 * Makes the agent's directory, with agent.json, a transcript and `out/` in it. What is there is kept, but for a new agent
	 * moved aside: a command may have put it there, as words of an agent that has not said any.
	 */
	addAgent(file: AgentFile, isNew?: boolean): void;
	record(agent: AgentId, entry: TranscriptEntry): void;
	writeAgent(file: AgentFile): void;
	writeRun(file: RunFile): void;
	/** Makes a little room on a full disk; false when only `keepBytes` of the reserve are left, or nothing. */
	free(keepBytes: number): boolean;
	/** Once is enough; afterwards nothing may be appended. */
	close(): void;
}

/** `home` is the state directory; it is made when missing. The run must not exist yet. */
export function createRun(home: string, file: RunFile): RunWriter {
	const directory = runDirectory(home, file.run);
	makePrivateDirectory(runsDirectory(home));
	makeNewPrivateDirectory(directory);
	const origin = onDisk(directory, () => originOf(directory));
	replaceSafely(runFilePath(directory), toFile({ ...file, origin }));
	return writerIn(directory);
}

/** The writer of a run that exists and that nobody supervises. Its files are kept, but for torn last lines; run.json is left to `writeRun`. */
export function reopenRun(directory: string): RunWriter {
	removeFile(reservePath(directory));
	return writerIn(directory);
}

function writerIn(directory: string): RunWriter {
	const events = openForAppend(eventsPath(directory));
	const reserve = createReserve(reservePath(directory));
	let isClosed = false;
	return {
		directory,
		origin: onDisk(directory, () => originOf(directory)),
		append: (event) => appendLine(events, eventsPath(directory), toFile(event)),
		directoryOf: (agent) => agentDirectory(directory, agent),
		addAgent: (agent, isNew = false) => {
			const path = agentDirectory(directory, agent.agent);
			if (isNew) moveAside(directory, path);
			makeDirectoriesBelow(directory, join(path, "out"));
			replaceJson(agentFilePath(directory, agent.agent), toFile(agent));
			closeSync(openForAppend(transcriptPath(directory, agent.agent))); // last: with a transcript the agent is whole
		},
		record: (agent, entry) => {
			requireDirectoriesBelow(directory, agentDirectory(directory, agent));
			appendOnce(transcriptPath(directory, agent), entry);
		},
		writeAgent: (agent) => {
			requireDirectoriesBelow(directory, agentDirectory(directory, agent.agent));
			replaceJson(agentFilePath(directory, agent.agent), toFile(agent));
		},
		writeRun: (run) => replaceSafely(runFilePath(directory), toFile(run)),
		free: reserve.free,
		close: () => {
			reserve.remove();
			if (!isClosed) closeSync(events);
			isClosed = true;
		},
	};
}

/** Opens for each line: a run may have more agents than a process may have open files, and a line a turn is cheap. */
function appendOnce(path: string, entry: TranscriptEntry): void {
	const file = openForAppend(path);
	try {
		appendLine(file, path, toFile(entry));
	} finally {
		closeSync(file);
	}
}

/** Room on the disk that the end of a run's record can have when there is no other: a file that is given back piecemeal. */

const RESERVE_BYTES = 64 * 1024;
const PIECE_BYTES = 8 * 1024;

interface Reserve {
	/** Gives a piece back; false when only `keepBytes` are left, or nothing. */
	free(keepBytes: number): boolean;
	/** Once is enough. */
	remove(): void;
}

/** A disk that has no room for it has no reserve: whether the run can be recorded shows soon enough. */
function createReserve(path: string): Reserve {
	let file = write(path);
	let left = RESERVE_BYTES;
	return {
		free: (keepBytes) => {
			if (file === undefined || left - PIECE_BYTES < keepBytes) return false;
			left -= PIECE_BYTES;
			ftruncateSync(file, left);
			return true;
		},
		remove: () => {
			if (file === undefined) return;
			closeSync(file);
			file = undefined;
			removeFile(path);
		},
	};
}

function write(path: string): number | undefined {
	let file: number | undefined;
	try {
		file = openSync(path, "wx", 0o600);
		writeAll(file, randomFillSync(Buffer.allocUnsafe(RESERVE_BYTES))); // of zeros some file systems keep nothing
		return file;
	} catch {
		if (file === undefined) return undefined;
		closeSync(file);
		removeFile(path);
		return undefined;
	}
}
