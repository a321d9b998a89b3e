/** Finding runs and agents by what a person types, and reading their small files. */

import { existsSync, lstatSync, readdirSync, readlinkSync } from "node:fs";
import * as v from "valibot";
import { AgentreeError, usageError } from "../core/errors.ts";
import { ifThere } from "../core/if-there.ts";
import { type AgentId, isAgentId, isWithin, ROOT } from "../core/model/agent.ts";
import { type AgentFile, AgentFileSchema, type RunFile, RunFileSchema } from "../core/schemas/run-files.ts";
import { isObject } from "../core/schemas/values.ts";
import { adviceFor, notReadable, readText } from "./files/regular-file.ts";
import { agentFilePath, runDirectory, runFilePath, runsDirectory } from "./run-directory.ts";
import { hasRunLock } from "./run-lock.ts";
import { fileKey, fromFile } from "./spelling.ts";

export interface FoundRun {
	readonly run: string;
	readonly directory: string;
	/** Exists in the run; undefined when the ref names none. */
	readonly agent?: AgentId;
}

/** A run with its run.json. */
export interface ReadRun {
	readonly run: string;
	readonly directory: string;
	readonly file: RunFile;
}

/** Ids of all runs, the highest first: nearly the newest first, since an id begins with the local time of its start. */
export function listRuns(home: string): string[] {
	try {
		return readdirSync(runsDirectory(home), { withFileTypes: true })
			.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
			.map((entry) => entry.name)
			.sort()
			.reverse();
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		const dangling = code === "ENOENT" ? danglingLink([home, runsDirectory(home)]) : undefined;
		if (dangling !== undefined) throw new AgentreeError("not_found", `cannot list the runs: ${dangling}`);
		if (code === "ENOENT") return [];
		throw new AgentreeError("not_found", `cannot list the runs in ${home}: ${adviceFor(code ?? String(error))}`);
	}
}

/**
 * The runs, newest first by when they started: local time goes back in autumn and on journeys, and ids with it. Left out are
 * copies, and runs whose run.json cannot be read: they must not keep the others from being found. Reads no more files than
 * what is taken needs, and only those of the `maxRead` highest ids. `instead`: gives what a run.json had that cannot be read.
 */
export function newestRuns(
	home: string,
	maxRead = Number.POSITIVE_INFINITY,
	instead?: (directory: string) => RunFile | undefined,
): Generator<ReadRun> {
	return newestFirst(home, listRuns(home).slice(0, maxRead), instead);
}

/** As `newestRuns`, of those that have a supervisor, or had one that was killed: no file is read of the others. */
export function supervisedRuns(home: string, maxRead = Number.POSITIVE_INFINITY): Generator<ReadRun> {
	const runs = listRuns(home).slice(0, maxRead);
	return newestFirst(
		home,
		runs.filter((run) => hasRunLock(runDirectory(home, run))),
	);
}

function* newestFirst(
	home: string,
	runs: readonly string[],
	instead: (directory: string) => RunFile | undefined = () => undefined,
): Generator<ReadRun> {
	const waiting: { run: string; directory: string; startedAt: number }[] = [];
	const read = ({ run, directory }: Omit<ReadRun, "file">): ReadRun[] => {
		const file = readableRunFile(directory) ?? instead(directory);
		return file?.run === run ? [{ run, directory, file }] : []; // else a copy, or damaged
	};
	for (const run of runs) {
		const latest = latestStart(run); // of all that follow, too
		const isSure = waiting.findIndex(({ startedAt }) => startedAt <= latest);
		for (const each of waiting.splice(0, isSure < 0 ? waiting.length : isSure)) yield* read(each);
		const directory = runDirectory(home, run);
		const startedAt = startedAtOf(directory) ?? instead(directory)?.startedAt;
		if (startedAt === undefined) continue;
		const behind = waiting.findLastIndex((other) => other.startedAt >= startedAt);
		waiting.splice(behind + 1, 0, { run, directory, startedAt });
	}
	for (const each of waiting) yield* read(each);
}

/** Without the checks of the whole file: they take ten times as long, and most runs are only passed by. */
function startedAtOf(directory: string): number | undefined {
	const file = ifThere(() => JSON.parse(readText(runFilePath(directory))));
	const startedAt: unknown = file?.[fileKey("startedAt")];
	return typeof startedAt === "number" ? startedAt : undefined;
}

const ID_TIME = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/;
const MOST_BEHIND_MS = 14 * 60 * 60 * 1000; // local time is at most 12 hours behind UTC

/** No run with this id or a lower one has started later. */
function latestStart(run: string): number {
	const [, year, month, ...rest] = (ID_TIME.exec(run) ?? []).map(Number);
	if (year === undefined || month === undefined) return Number.POSITIVE_INFINITY;
	const [day, hours, minutes, seconds] = rest;
	return Date.UTC(year, month - 1, day, hours, minutes, seconds) + MOST_BEHIND_MS;
}

/** A disk that is not mounted, or a directory that was moved: not the same as a place where nothing ran yet. */
function danglingLink(paths: readonly string[]): string | undefined {
	const link = paths.find((path) => !existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
	if (link === undefined) return undefined;
	return `${link} is a link to ${readlinkSync(link)}, which does not exist; create that directory, or set AGENTREE_HOME to another`;
}

/**
 * `ref`: `RUN`, `RUN/1.2`, a beginning of RUN or its last characters when no other run has them, or `1.2` and nothing:
 * the newest run of the directory `cwd`. Throws AgentreeError("not_found") with the candidates when there is none, or
 * several, and AgentreeError("usage") for one without a RUN: an unset variable must not stop a whole run.
 */
export function findRun(home: string, ref: string | undefined, cwd: string): FoundRun {
	const { run: wanted, agent } = parseRef(ref);
	const run = wanted === undefined ? newestOf(home, cwd) : matching(home, wanted);
	const directory = runDirectory(home, run);
	if (agent === undefined) return { run, directory };
	if (!existsSync(agentFilePath(directory, agent)))
		throw new AgentreeError("not_found", `run ${run} has no agent ${agent}; agent ps ${run} lists its agents`);
	return { run, directory, agent };
}

/** Throws AgentreeError("not_found") when the file is missing or damaged. */
export function readRunFile(directory: string): RunFile {
	return readObject(runFilePath(directory), RunFileSchema);
}

/** As `readRunFile`; undefined when the file is missing or damaged. */
export function readableRunFile(directory: string): RunFile | undefined {
	return orUndefined(() => readRunFile(directory));
}

/** Throws AgentreeError("not_found") when the file is missing or damaged. */
export function readAgentFile(directory: string, agent: AgentId): AgentFile {
	return readObject(agentFilePath(directory, agent), AgentFileSchema);
}

/** As `readAgentFile`; undefined when the file is missing or damaged. */
export function readableAgentFile(directory: string, agent: AgentId): AgentFile | undefined {
	return orUndefined(() => readAgentFile(directory, agent));
}

/** Undefined for what cannot be read; a bug is thrown. */
export function orUndefined<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch (error) {
		if (error instanceof AgentreeError) return undefined;
		throw error;
	}
}

/** A run id begins with its year, an agent's with the root: `1.2` alone can only be an agent. */
function parseRef(ref: string | undefined): { run?: string; agent?: AgentId } {
	if (ref === undefined) return {};
	if (ref === "" || ref.startsWith("/"))
		throw usageError(`"${ref}" is not a run; write RUN or RUN/1.2, or nothing for the newest run here`);
	if (isAgentId(ref) && isWithin(ref, ROOT)) return { agent: ref };
	const slash = ref.indexOf("/");
	if (slash < 0) return { run: ref };
	const run = ref.slice(0, slash);
	const agent = ref.slice(slash + 1);
	if (!isAgentId(agent) || !isWithin(agent, ROOT))
		throw new AgentreeError("not_found", `"${agent}" is not an agent; write it like ${run}/1.2`);
	return { run, agent };
}

function matching(home: string, wanted: string): string {
	const runs = listRuns(home);
	if (runs.includes(wanted)) return wanted;
	const candidates = runs.filter((run) => run.startsWith(wanted) || run.endsWith(`-${wanted}`));
	const [only] = candidates;
	if (only !== undefined && candidates.length === 1) return only;
	if (only === undefined) {
		const hint = /\s/.test(wanted) ? " (a message follows the run, a name follows -r)" : "";
		throw new AgentreeError("not_found", `no run "${wanted}" in ${home}${hint}; agent ps -a lists all runs`);
	}
	const named = candidates.slice(0, 5).join(", ");
	const more = candidates.length > 5 ? ` and ${candidates.length - 5} more` : "";
	throw new AgentreeError("not_found", `"${wanted}" matches several runs: ${named}${more}`);
}

function newestOf(home: string, cwd: string): string {
	for (const { run, file } of newestRuns(home)) if (file.cwd === cwd) return run;
	throw new AgentreeError("not_found", `no run was started in ${cwd}; name one: agent ps -a lists all runs`);
}

function readObject<const S extends v.GenericSchema>(path: string, schema: S): v.InferOutput<S> {
	const value = fromFile(parse(path));
	if (!isObject(value)) throw notReadable(path, "it is not a JSON object");
	const read = v.safeParse(schema, value);
	if (read.success) return read.output;
	const wrong = [...new Set(read.issues.map(({ path: keys }) => String(keys?.[0]?.key)))];
	const missing = wrong.filter((key) => value[key] === undefined);
	if (missing.length > 0) throw notReadable(path, `it has no ${named(missing)}`);
	throw notReadable(path, `${named(wrong)} has the wrong type`);
}

function named(keys: readonly string[]): string {
	return keys.map((key) => `"${fileKey(key)}"`).join(", ");
}

function parse(path: string): unknown {
	const text = readText(path);
	try {
		return JSON.parse(text);
	} catch {
		throw notReadable(path, "it is not valid JSON");
	}
}
