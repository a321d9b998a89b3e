/** Writes a whole run, as it is now, to files that a person has named. */

import { resolve } from "node:path";
import { formatBytes } from "../../core/bytes.ts";
import { AgentreeError } from "../../core/errors.ts";
import { runPage } from "../../faces/html/run-page.ts";
import { atifTrajectory } from "../../faces/json/atif/atif-trajectory.ts";
import { chromeTrace } from "../../faces/json/chrome-trace.ts";
import { readWholeRun, type WholeRun } from "../../faces/json/whole-run.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { findRunFor, stateDirectoryFor } from "../io/find-run.ts";
import { checkFile, writeFile } from "./write-file.ts";

const STDOUT = "-";
const MOST_WARNINGS = 20;

export type ExportFormat = "html" | "perfetto" | "atif";

export interface ExportOption {
	readonly format: ExportFormat;
	/** `-` is stdout. */
	readonly path: string;
}

/** The pieces of the file. Each of them is whole: no secret begins in one and ends in the next. */
const WRITERS: Readonly<Record<ExportFormat, (run: WholeRun) => Iterable<string>>> = {
	html: runPage,
	perfetto: chromeTrace,
	atif: atifTrajectory,
};

export interface ExportRun {
	readonly ref: string | undefined;
	readonly asked: readonly ExportOption[];
	/** A file that exists may be replaced. */
	readonly mayReplace: boolean;
}

/** The exit code. Throws AgentreeError before anything is written when one of the files may not be. */
export async function exportRun({ ref, asked, mayReplace }: ExportRun, io: Io): Promise<number> {
	const files = asked.map(({ format, path }) => ({
		format,
		path: path === STDOUT ? path : resolve(io.cwd, path),
	}));
	if (new Set(files.map(({ path }) => path)).size < files.length)
		throw new AgentreeError("usage", "each export needs its own FILE");
	for (const { path } of files) if (path !== STDOUT) checkFile(path, mayReplace);
	const { run, directory, agent } = findRunFor(io, stateDirectoryFor(io), ref);
	if (agent !== undefined)
		throw new AgentreeError(
			"usage",
			`--${asked[0]?.format} exports a whole run: agent show ${run} --${asked[0]?.format} FILE`,
		);
	const recorded = readWholeRun(new RecordedRun(directory), io);
	for (const { format, path } of files) {
		const pieces = WRITERS[format](recorded);
		if (path === STDOUT) await printAll(pieces, io);
		else io.stderr(`agent: wrote ${path}, ${formatBytes(await writeFile(path, pieces, mayReplace))}\n`);
	}
	warn(io, fewOf([...new Set(recorded.damage)]));
	return 0;
}

/** Of a run whose files are gone each agent has something to say. */
function fewOf(damage: readonly string[]): string[] {
	const more = damage.length - MOST_WARNINGS;
	return more <= 0 ? [...damage] : [...damage.slice(0, MOST_WARNINGS), `and ${more} more that could not be read`];
}

async function printAll(pieces: Iterable<string>, io: Io): Promise<void> {
	for (const piece of pieces) {
		if (io.signal?.aborted) return;
		io.stdout(piece);
		await io.drained?.();
	}
}
