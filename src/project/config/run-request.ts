/**
 * The request for a run or a child agent, read from the command line. A value comes from the flag, else from the variable;
 * a wrong value is a usage error that names it.
 */
import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { EFFORTS, type Effort } from "../../core/effort.ts";
import { usageError } from "../../core/errors.ts";
import type { Limits } from "../../core/limits/limits.ts";
import { type Environment, type Given, given, oneOf, readSwitch, refuse } from "./given.ts";
import { type OptionValues, OUTPUT_FORMATS, type OutputFormat } from "./option-table.ts";
import { readLimits } from "./read-limits.ts";
import { mayEnter } from "./working-directory.ts";

/** Undefined: nothing was asked for. */
export interface RunRequest {
	task: string | undefined;
	model: string | undefined;
	/** Where the model's name came from: `--model`, `AGENTREE_MODEL`. */
	modelFrom: string | undefined;
	/** The directory in which the command was typed, from which a file in a model's name is resolved; undefined when it is gone. */
	startedIn: string | undefined;
	effort: Effort | undefined;
	/** The absolute path of a directory that exists. */
	cwd: string;
	/** The name of a role. */
	role: string | undefined;
	systemPrompt: string | undefined;
	appendSystemPrompt: string | undefined;
	/** Nothing of the files of projects and users is told. */
	withoutInstructions: true | undefined;
	/** The files of the project are used without a question. */
	trustsProject: true | undefined;
	outputFormat: OutputFormat | undefined;
	envFile: string | undefined;
	/** The share of the model's context at which older messages are replaced; 0 for never. */
	compactAt: number | undefined;
	limits: Partial<Limits>;
	isQuiet: boolean;
	isVerbose: boolean;
	keepsBackground: boolean;
	/** A child agent waits in line for a place among its parent's. */
	waitsForPlace: true | undefined;
	/** Stdin is added to the task, however long its end takes. */
	readsStdin: true | undefined;
	/** The agents' commands get no variables that tie git to one repository. */
	cleansGitEnvironment: true | undefined;
}

/** The variables that name a model, the one that takes precedence first. */
const MODEL_VARIABLES = ["AGENTREE_MODEL", "ANTHROPIC_MODEL"];

export interface RequestHost {
	env: Environment;
	/** The working directory; throws when it has been removed. */
	cwd: () => string;
}

/** Reads the options and checks them. Throws AgentreeError("usage"). */
export function readRunRequest(task: string | undefined, values: OptionValues, host: RequestHost): RunRequest {
	const { env } = host;
	const text = (flag: string) => (typeof values[flag] === "string" ? (values[flag] as string) : undefined);
	const isOn = (flag: string) => values[flag] === true || readSwitch(flag, env) || undefined;
	const cwd = readDirectory(text("cd"), host.cwd);
	if (values.quiet === true && values.verbose === true) throw usageError("--quiet and --verbose contradict each other");
	if (task !== undefined && task !== "-" && task.trim() === "")
		throw usageError('the task is empty; try agent "list the files"');
	return {
		task,
		...readModel(text("model"), env),
		startedIn: directoryOrNone(host.cwd),
		effort: oneOf(given("effort", values), EFFORTS),
		cwd,
		role: text("role"),
		systemPrompt: text("system-prompt"),
		appendSystemPrompt: text("append-system-prompt"),
		withoutInstructions: isOn("no-instructions"),
		trustsProject: isOn("trust"),
		outputFormat: oneOf(given("output-format", values), OUTPUT_FORMATS),
		envFile: readEnvFile(text("env-file"), host.cwd),
		compactAt: readCompactAt(given("compact-at", values, env)),
		limits: readLimits(text, env),
		isQuiet: values.quiet === true,
		isVerbose: values.verbose === true,
		keepsBackground: values["keep-background"] === true,
		waitsForPlace: values["wait-for-place"] === true || undefined,
		readsStdin: values.stdin === true || undefined,
		cleansGitEnvironment: values["clean-git-env"] === true || undefined,
	};
}

function readCompactAt(given: Given | undefined): number | undefined {
	if (given === undefined) return undefined;
	return parseShare(given.text) ?? refuse(given, "must be a share of the context below 1, such as 0.8 or 80%, or off");
}

function readDirectory(given: string | undefined, cwd: () => string): string {
	if (given === "") throw usageError("--cd needs a directory");
	const directory = given === undefined ? cwd() : resolveFrom(cwd, given);
	const name = given === undefined ? `the working directory ${directory}` : `--cd ${given}`;
	if (given !== undefined && !isDirectory(directory)) throw usageError(`${name}: no such directory`);
	if (!mayEnter(directory)) throw usageError(`${name}: permission denied`);
	return directory;
}

function resolveFrom(cwd: () => string, path: string): string {
	return isAbsolute(path) ? path : resolve(cwd(), path);
}

function isDirectory(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch {
		return false; // ENOENT; ENOTDIR: below a file; EACCES: below a directory of somebody else
	}
}

function readEnvFile(given: string | undefined, cwd: () => string): string | undefined {
	if (given === "") throw usageError("--env-file needs a file");
	return given === undefined ? undefined : resolveFrom(cwd, given);
}

function readModel(given: string | undefined, env: RequestHost["env"]): Pick<RunRequest, "model" | "modelFrom"> {
	const from = given === undefined ? MODEL_VARIABLES.find((name) => env[name]) : "--model";
	const model = given ?? (from === undefined ? undefined : env[from]);
	if (model?.trim() === "") throw usageError(`${from} needs a model name, shell, or script:FILE`);
	return { model, modelFrom: from };
}

function directoryOrNone(cwd: () => string): string | undefined {
	try {
		return cwd();
	} catch {
		return undefined;
	}
}

/** A share below 1: `0.8` or `80%` → 0.8; `off` or `0` → 0; undefined for anything else. */
function parseShare(text: string): number | undefined {
	if (text === "off") return 0;
	const [, number = "", percent] = /^(\d{0,3}\.?\d{0,6})(%?)$/.exec(text) ?? [];
	if (!/\d/.test(number)) return undefined;
	const share = Number(number) / (percent === "%" ? 100 : 1);
	return share < 1 ? share : undefined;
}
