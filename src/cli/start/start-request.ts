/**
 * What a person asks for who starts or resumes a run: the words of the command line and variables, checked. Of files it reads only a
 * JSON Schema; what else the run needs is gathered in gather-facts.ts. Each function throws AgentreeError("usage").
 */
import { resolve } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { LIMIT_TABLE, variableOfFlag } from "../../core/limits/limits.ts";
import type { SandboxWish } from "../../core/machine/sandbox.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";
import { type AskingRequest, readAsking, refuseAsking } from "../../project/config/asking-options.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { nameOption } from "../../project/config/run-names.ts";
import { type RequestHost, type RunRequest, readRunRequest } from "../../project/config/run-request.ts";
import { readSandboxWish, SANDBOX_OPTIONS } from "../../project/config/sandbox-options.ts";
import { readSchema } from "../io/user-files.ts";

/** Where a run is seen. `stream`: a program talks with it over stdin and stdout. */
export type Face = "headless" | "dashboard" | "detached" | "stream" | "chat";

export interface StartRequest extends RunRequest {
	/** The name of the run. */
	readonly name?: string;
	readonly sandbox?: SandboxWish | undefined;
	/** Names of models, separated by commas. */
	readonly fallbackModel?: string | undefined;
	/** A file of another tool. */
	readonly credentialsFile?: string | undefined;
	readonly asking?: AskingRequest;
	/** The text of the JSON Schema that the answer has to match. */
	readonly jsonSchema?: string | undefined;
	/** A git worktree is made for the root. */
	readonly worktree?: AskedWorktree | undefined;
}

/** `name`: absent where the names of run and agent are used. */
export interface AskedWorktree {
	readonly name?: string;
}

export async function readStartRequest(
	task: string | undefined,
	values: OptionValues,
	host: RequestHost,
): Promise<StartRequest> {
	return { ...requestOf(task, values, host), jsonSchema: await readSchema(values["json-schema"], host.cwd) };
}

/** Without a schema: for a chat, and for a run that is resumed. */
export function requestOf(task: string | undefined, values: OptionValues, host: RequestHost): StartRequest {
	const request = readRunRequest(task, values, host);
	const { env, cwd } = host;
	const { "credentials-file": file, "fallback-model": models = env.AGENTREE_FALLBACK_MODEL } = values;
	if (values["wait-for-place"] === true) throw usage("--wait-for-place is only for child agents");
	if (file === "") throw usage("--credentials-file needs a file");
	return {
		...request,
		fallbackModel: typeof models === "string" && models !== "" ? models : undefined,
		...nameOption(values),
		sandbox: readSandboxWish(values, host),
		worktree: worktreeOption(values),
		asking: readAsking(values, env),
		credentialsFile: typeof file === "string" ? resolve(cwd(), file) : undefined,
	};
}

/**
 * A resumed run keeps its model, its limits and its sandbox: only a flag changes them, not a variable that is set for new runs. A run
 * that comes from elsewhere keeps only its model.
 */
export function resumeRequest(
	message: string | undefined,
	{ tree, yes: _, ...given }: OptionValues,
	{ file, isForeign }: { readonly file: RunFile; readonly isForeign: boolean },
	host: RequestHost,
): StartRequest {
	const ofBounds = [
		...SANDBOX_OPTIONS.map(({ flag }) => variableOfFlag(flag)),
		...LIMIT_TABLE.map((row) => row.variable),
	];
	const ofNewRuns = ["AGENTREE_MODEL", "ANTHROPIC_MODEL", "AGENTREE_COMPACT_AT", ...(isForeign ? [] : ofBounds)];
	const env = Object.fromEntries(Object.entries(host.env).filter(([name]) => !ofNewRuns.includes(name)));
	const request = requestOf(message, { cd: file.cwd, ...given }, { ...host, env });
	if (tree === true && request.outputFormat !== undefined && request.outputFormat !== "text")
		throw usage("--tree prints the answer as text: give --tree or --output-format, not both");
	return request;
}

/** The face of a new run. `hasScreen`: a dashboard can be drawn. */
export function faceOf(
	command: "run" | "tree",
	{ detach }: OptionValues,
	{ outputFormat: format = "text" }: Pick<RunRequest, "outputFormat">,
	hasScreen: boolean,
): Exclude<Face, "stream" | "chat"> {
	if (command === "tree" && format !== "text")
		throw usage(`--output-format ${format} is for agent run; agent tree prints the answer as text`);
	if (detach === true && format !== "text")
		throw usage(
			`--detach prints only the run's id, not --output-format ${format}; for the result: agent wait RUN --output-format json`,
		);
	if (detach === true) return "detached";
	return command === "tree" && hasScreen ? "dashboard" : "headless";
}

const INPUT_FORMATS = ["text", "stream-json"];

/** `--input-format`: whether a program talks with the run. */
export function isStreamInput(values: OptionValues, task: string | undefined): boolean {
	const { "input-format": format = "text", detach, stdin } = values;
	if (!INPUT_FORMATS.includes(String(format)))
		throw usage(`--input-format must be one of ${INPUT_FORMATS.join(", ")}, not "${format}"`);
	if (format === "text") return false;
	const other = detach === true ? "--detach" : stdin === true ? "--stdin" : task === "-" ? "a task from stdin" : "";
	if (other !== "") throw usage(`${other} and --input-format stream-json contradict each other: give one`);
	return true;
}

export function worktreeOption({ worktree }: OptionValues): AskedWorktree | undefined {
	if (worktree === undefined || worktree === false) return undefined;
	if (worktree === "") throw usage("--worktree= needs a name (or use --worktree)");
	return typeof worktree === "string" ? { name: worktree } : {};
}

/** Refuses, inside a run, what would outlive it, and what is decided once for a whole run. */
export function refuseOptionsOfRuns(values: OptionValues): void {
	const { detach, "fallback-model": fallback, "credentials-file": file, "input-format": input } = values;
	if (input !== undefined) throw usage("--input-format is not available inside a run: a child agent has one task");
	refuseAsking(values);
	if (file !== undefined) throw usage("--credentials-file is not available inside a run: the supervisor has the keys");
	if (fallback !== undefined) throw usage("--fallback-model is set once for a whole run, for all its agents");
	if (detach === true)
		throw usage('--detach is not available inside a run; to start a child agent in the background: agent "task" &');
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
