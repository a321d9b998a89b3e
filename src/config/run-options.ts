/**
 * The options of a run and of a child, once: for the child's own quick reader and for the whole command line. Values
 * come from the flag, else from the variable, else from the defaults; a wrong value is a usage error that names it.
 */
import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { AgentreeError } from "../core/errors.ts";
import { LIMIT_TABLE, type LimitRow, type Limits } from "../core/limits.ts";
import { EFFORTS, type Effort } from "../core/model.ts";
import { parseDuration } from "./duration.ts";
import { parseShare } from "./share.ts";
import { mayEnter } from "./working-directory.ts";

export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface RunOption {
	flag: string;
	short?: string;
	/** The placeholder of its value; absent for a switch. */
	value?: string;
	help: string;
}

const PLACEHOLDERS: Record<LimitRow["unit"], string> = { count: "N", time: "TIME", usd: "X" };

export const RUN_OPTIONS: readonly RunOption[] = [
	{ flag: "model", short: "m", value: "NAME", help: "a model's name, shell, or script:FILE" },
	{ flag: "effort", value: "LEVEL", help: `how hard to think: ${EFFORTS.join(", ")}` },
	{ flag: "cd", short: "C", value: "DIR", help: "work in this directory" },
	{ flag: "system-prompt", value: "TEXT", help: "instead of the built-in system prompt (this agent only)" },
	{ flag: "append-system-prompt", value: "TEXT", help: "after the system prompt (this agent and all below)" },
	{ flag: "output-format", value: "FORMAT", help: `what stdout gets: ${OUTPUT_FORMATS.join(", ")}` },
	{ flag: "env-file", value: "FILE", help: "read ANTHROPIC_* from this file" },
	{ flag: "compact-at", value: "SHARE", help: "of the context, to replace older messages at: 0.8, 80%, off" },
	{ flag: "keep-background", help: "leave what runs in the background when the run has answered" },
	{ flag: "quiet", short: "q", help: "nothing on stderr but errors" },
	{ flag: "verbose", short: "v", help: "every event on stderr" },
	...LIMIT_TABLE.map(({ flag, unit, help }) => ({ flag, value: PLACEHOLDERS[unit], help })),
];

export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** What was asked for; undefined means nothing was said. */
export interface RunRequest {
	task: string | undefined;
	model: string | undefined;
	/** Where the command was typed; undefined when that directory is gone. A file in a model's name is looked for there. */
	startedIn: string | undefined;
	effort: Effort | undefined;
	/** Absolute, and a directory. */
	cwd: string;
	systemPrompt: string | undefined;
	appendSystemPrompt: string | undefined;
	outputFormat: OutputFormat | undefined;
	envFile: string | undefined;
	/** Of the model's context; 0 for never. */
	compactAt: number | undefined;
	limits: Partial<Limits>;
	isQuiet: boolean;
	isVerbose: boolean;
	keepsBackground: boolean;
}

export interface RequestPlace {
	env: Readonly<Record<string, string | undefined>>;
	/** Throws when there is none any more. */
	cwd: () => string;
}

/** `values` by flag name without dashes. Throws AgentreeError("usage"). */
export function readRunRequest(task: string | undefined, values: OptionValues, place: RequestPlace): RunRequest {
	const { env } = place;
	const text = (flag: string) => (typeof values[flag] === "string" ? (values[flag] as string) : undefined);
	const cwd = readDirectory(text("cd"), place.cwd);
	if (values.quiet === true && values.verbose === true)
		throw usage("--quiet and --verbose contradict each other: give one");
	if (task !== undefined && task !== "-" && task.trim() === "")
		throw usage('the task is empty: say what to do, as in agent "list the files"');
	return {
		task,
		model: readModel(text("model") ?? nonEmpty(env.AGENTREE_MODEL) ?? nonEmpty(env.ANTHROPIC_MODEL)),
		startedIn: directoryOrNone(place.cwd),
		effort: oneOf("--effort", text("effort"), EFFORTS),
		cwd,
		systemPrompt: text("system-prompt"),
		appendSystemPrompt: text("append-system-prompt"),
		outputFormat: oneOf("--output-format", text("output-format"), OUTPUT_FORMATS),
		envFile: readEnvFile(text("env-file"), place.cwd),
		compactAt: readCompactAt(text("compact-at"), env.AGENTREE_COMPACT_AT),
		limits: readLimits(text, env),
		isQuiet: values.quiet === true,
		isVerbose: values.verbose === true,
		keepsBackground: values["keep-background"] === true,
	};
}

function readLimits(text: (flag: string) => string | undefined, env: RequestPlace["env"]): Partial<Limits> {
	const limits: { -readonly [K in keyof Limits]?: number } = {};
	for (const { key, flag, variable, least, unit } of LIMIT_TABLE) {
		const given = text(flag);
		const value = given ?? nonEmpty(env[variable]);
		if (value === undefined) continue;
		const name = given === undefined ? variable : `--${flag}`;
		limits[key] = READERS[unit](name, value, least);
	}
	return limits;
}

const READERS: Record<LimitRow["unit"], (name: string, value: string, least: number) => number> = {
	count: readCount,
	time: readTime,
	usd: readDollars,
};

function readDollars(name: string, value: string, least: number): number {
	const dollars = /^(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})$/.test(value) ? Number(value) : Number.NaN;
	if (!(dollars >= least)) throw usage(`${name} must be an amount of dollars such as 5 or 0.50, not "${value}"`);
	return dollars;
}

function readCount(name: string, value: string, least: number): number {
	const count = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
	if (!(count >= least)) throw usage(`${name} must be a whole number of ${least} or more, not "${value}"`);
	return count;
}

function readTime(name: string, value: string): number {
	const ms = parseDuration(value);
	if (ms === undefined || ms < 1) throw usage(`${name} must be a time such as 90s, 30m or 2h, not "${value}"`);
	return ms;
}

function readCompactAt(given: string | undefined, variable: string | undefined): number | undefined {
	const value = given ?? nonEmpty(variable);
	const share = value === undefined ? undefined : parseShare(value);
	if (value === undefined || share !== undefined) return share;
	const name = given === undefined ? "AGENTREE_COMPACT_AT" : "--compact-at";
	throw usage(`${name} must be a share of the context below 1, such as 0.8 or 80%, or off, not "${value}"`);
}

function readDirectory(given: string | undefined, cwd: () => string): string {
	if (given === "") throw usage("--cd needs a directory");
	const directory = given === undefined ? cwd() : resolveFrom(cwd, given);
	const name = given === undefined ? `the working directory ${directory}` : `--cd ${given}`;
	if (given !== undefined && !isDirectory(directory)) throw usage(`${name}: there is no such directory`);
	if (!mayEnter(directory)) throw usage(`${name}: you may not enter it`);
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
	if (given === "") throw usage("--env-file needs a file");
	return given === undefined ? undefined : resolveFrom(cwd, given);
}

function readModel(name: string | undefined): string | undefined {
	if (name?.trim() === "") throw usage("--model needs a name: a model's name, shell, or script:FILE");
	return name;
}

function directoryOrNone(cwd: () => string): string | undefined {
	try {
		return cwd();
	} catch {
		return undefined;
	}
}

function oneOf<T extends string>(name: string, value: string | undefined, known: readonly T[]): T | undefined {
	if (value === undefined) return undefined;
	const found = known.find((other) => other === value);
	if (found === undefined) throw usage(`${name} must be one of ${known.join(", ")}, not "${value}"`);
	return found;
}

/** An empty variable is one that is not set. */
function nonEmpty(value: string | undefined): string | undefined {
	return value === "" ? undefined : value;
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
