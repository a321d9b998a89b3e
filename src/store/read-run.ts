/** Finding runs and agents by what a person types, and reading their small files. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type AgentId, isAgentId, isWithin, ROOT } from "../core/agent.ts";
import { AgentreeError } from "../core/errors.ts";
import type { AgentFile, RunFile } from "../core/transcript.ts";
import { agentFilePath, runDirectory, runFilePath, runsDirectory } from "./run-directory.ts";

export interface FoundRun {
	readonly run: string;
	readonly directory: string;
	/** Exists in the run; undefined when the ref names none. */
	readonly agent?: AgentId;
}

/** Ids of all runs, newest first: an id begins with the time. */
export function listRuns(home: string): string[] {
	try {
		return readdirSync(runsDirectory(home), { withFileTypes: true })
			.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
			.map((entry) => entry.name)
			.sort()
			.reverse();
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === "ENOENT") return [];
		throw new AgentreeError("not_found", `cannot list the runs: ${message}`);
	}
}

/**
 * `ref`: `RUN`, `RUN/1.2`, a beginning of RUN that no other run has, or `1.2` and nothing: the newest run of the
 * directory `cwd`. Throws AgentreeError("not_found") with the candidates when there is none, or several.
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
	return readObject<RunFile>(runFilePath(directory), ["run", "started_at", "supervisor", "limits", "task", "cwd"]);
}

/** Throws AgentreeError("not_found") when the file is missing or damaged. */
export function readAgentFile(directory: string, agent: AgentId): AgentFile {
	return readObject<AgentFile>(agentFilePath(directory, agent), ["agent", "run", "task", "model", "limits"]);
}

/** A run id begins with its year, an agent's with the root: `1.2` alone can only be an agent. */
function parseRef(ref: string | undefined): { run?: string; agent?: AgentId } {
	if (ref === undefined || ref === "") return {};
	if (isAgentId(ref) && isWithin(ref, ROOT)) return { agent: ref };
	const slash = ref.indexOf("/");
	if (slash < 0) return { run: ref };
	const run = ref.slice(0, slash);
	const agent = ref.slice(slash + 1);
	if (!isAgentId(agent) || !isWithin(agent, ROOT))
		throw new AgentreeError("not_found", `"${agent}" is not an agent's path; write it like ${run}/1.2`);
	return { run, agent };
}

function matching(home: string, wanted: string): string {
	const runs = listRuns(home);
	if (runs.includes(wanted)) return wanted;
	const candidates = runs.filter((run) => run.startsWith(wanted));
	const [only] = candidates;
	if (only !== undefined && candidates.length === 1) return only;
	if (only === undefined)
		throw new AgentreeError("not_found", `no run "${wanted}" in ${home}; agent ps -a lists all runs`);
	const named = candidates.slice(0, 5).join(", ");
	const more = candidates.length > 5 ? ` and ${candidates.length - 5} more` : "";
	throw new AgentreeError("not_found", `"${wanted}" is the beginning of several runs: ${named}${more}`);
}

function newestOf(home: string, cwd: string): string {
	for (const run of listRuns(home)) if (cwdOf(home, run) === cwd) return run;
	throw new AgentreeError("not_found", `no run was started in ${cwd}; name one: agent ps -a lists all runs`);
}

/** Undefined for a run whose run.json cannot be read: it must not keep the others from being found. */
function cwdOf(home: string, run: string): string | undefined {
	try {
		return readRunFile(runDirectory(home, run)).cwd;
	} catch (error) {
		if (error instanceof AgentreeError) return undefined;
		throw error;
	}
}

function readObject<T extends object>(path: string, keys: readonly (keyof T & string)[]): T {
	let value: unknown;
	try {
		value = JSON.parse(readFileSync(path, "utf8"));
	} catch (error) {
		const reason = error instanceof SyntaxError ? "it is not valid JSON" : (error as Error).message;
		throw new AgentreeError("not_found", `cannot read ${path}: ${reason}`);
	}
	if (typeof value !== "object" || value === null)
		throw new AgentreeError("not_found", `cannot read ${path}: it is not a JSON object`);
	const missing = keys.filter((key) => !(key in value));
	if (missing.length > 0)
		throw new AgentreeError("not_found", `cannot read ${path}: it has no "${missing.join('", "')}"`);
	return value as T;
}
