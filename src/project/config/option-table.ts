/** The options, a row each: for the whole command line, for a child's quick reader, for help and for completion. */

import { EFFORTS } from "../../core/effort.ts";
import { LIMIT_TABLE, type Limit, type LimitUnit } from "../../core/limits/limits.ts";
import { formatDefaultLimit } from "../../text/limits.ts";

/** The formats of stdout: the answer, one object at the end, or an object a line as things happen. */
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface OptionRow {
	/** The long name, without dashes. */
	readonly flag: string;
	/** The one-letter name. */
	readonly short?: string;
	/** The placeholder of its value; absent for a switch. */
	readonly value?: string;
	/** The option may stand several times: its value has a line for each. */
	readonly isRepeatable?: true;
	/** The option may stand without its value; then it is true. */
	readonly isValueOptional?: true;
	readonly help: string;
	/** The possible values, for completion; absent: completion offers none. */
	readonly values?: readonly string[] | "models" | "directories" | "files" | "runs" | "roles";
	/** The option is taken, but help and completion do not show it. */
	readonly isHidden?: true;
}

/** Values by flag, named without dashes; a switch that is given is true. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

const PLACEHOLDERS: Readonly<Record<LimitUnit, string>> = { count: "N", time: "TIME", usd: "X" };

/** The options of `agent run`, and of a child. */
export const RUN_OPTIONS: readonly OptionRow[] = [
	{
		...{ flag: "model", short: "m", value: "NAME", values: "models" },
		help: "sonnet, opus, haiku, a model name, SERVICE/MODEL, shell, or script:FILE",
	},
	{ flag: "effort", value: "LEVEL", help: `reasoning effort: ${EFFORTS.join(", ")}`, values: EFFORTS },
	{ flag: "cd", short: "C", value: "DIR", help: "working directory", values: "directories" },
	{
		...{ flag: "role", value: "NAME", values: "roles" },
		help: "role of the agent: explore, plan, code, or one defined in a file",
	},
	{ flag: "system-prompt", value: "TEXT", help: "replace the built-in system prompt (this agent only)" },
	{ flag: "append-system-prompt", value: "TEXT", help: "append to the system prompt (this agent and all below)" },
	{ flag: "no-instructions", help: "ignore AGENTS.md, CLAUDE.md and similar files (this agent and all below)" },
	{ flag: "trust", help: "use this project's AGENTS.md, CLAUDE.md and similar files without asking" },
	{
		...{ flag: "output-format", value: "FORMAT", values: OUTPUT_FORMATS },
		help: `format of stdout: ${OUTPUT_FORMATS.join(", ")}`,
	},
	{ flag: "env-file", value: "FILE", help: "read API keys and service addresses from this file", values: "files" },
	{
		flag: "compact-at",
		value: "SHARE",
		help: "share of the context window at which older messages are compacted: 0.8, 80%, off",
	},
	{ flag: "stdin", help: "append stdin to the task, and wait until it ends" },
	{
		flag: "clean-git-env",
		help: "remove GIT_DIR, GIT_INDEX_FILE … (set by git hooks) from the environment of agents' commands",
	},
	{ flag: "wait-for-place", help: "for a child agent: wait for a free place when --max-children is reached" },
	{ flag: "keep-background", help: "leave background processes running after the run has answered" },
	{ flag: "quiet", short: "q", help: "print only errors and waiting questions to stderr" },
	{ flag: "verbose", short: "v", help: "print every event to stderr" },
	...LIMIT_TABLE.map(limitOption),
];

/** What an agent is told by these stays, even in a run that goes on. */
export const OF_PROMPTS: readonly string[] = ["role", "system-prompt", "append-system-prompt", "no-instructions"];

/** A child may have it, too, through the full command line. */
export const SCHEMA_OPTION: OptionRow = {
	...{ flag: "json-schema", value: "FILE", values: "files" },
	help: "require an answer that matches this JSON Schema; else exit with 1",
};

/** A child may have it, too, through the full command line. */
export const WORKTREE_OPTION: OptionRow = {
	...{ flag: "worktree", value: "NAME", isValueOptional: true },
	help: "work in a new git worktree; it is kept if it has changes",
};

/** Of a run that a program talks with. */
export const INPUT_OPTION: OptionRow = {
	...{ flag: "input-format", value: "FORMAT", values: ["text", "stream-json"] },
	help: "format of stdin: text, or stream-json: messages of a conversation, one JSON line each",
};

/** For a whole run: the agents below have no say in it. */
export const CREDENTIALS_OPTION: OptionRow = {
	...{ flag: "credentials-file", value: "FILE", values: "files" },
	help: "read API keys from another tool's JSON file",
};

/** For a whole run, too. */
export const FALLBACK_OPTION: OptionRow = {
	...{ flag: "fallback-model", value: "NAMES", values: "models" },
	help: "models to use, in this order, when one is unavailable: A,B",
};

export const JSON_OUTPUT: OptionRow = { flag: "json", help: "print JSON" };
/** Of what is over. */
export const RESULT_OUTPUT: OptionRow = {
	...{ flag: "output-format", value: "FORMAT", values: OUTPUT_FORMATS },
	help: "print the answer (text) or the full result (json, stream-json)",
};

/** The options of `agent resume`: a run keeps its prompts, and without a flag its limits. */
export const RESUME_OPTIONS: readonly OptionRow[] = RUN_OPTIONS.flatMap((row) => {
	if (OF_PROMPTS.includes(row.flag)) return [];
	const limit = LIMIT_TABLE.find(({ flag }) => flag === row.flag);
	return [limit === undefined ? row : resumedLimitOption(limit)];
});

/** The options of `agent show` that write a whole run to a file. */
export const EXPORT_OPTIONS: readonly OptionRow[] = [
	{
		...{ flag: "html", value: "FILE", values: "files" },
		help: "write the whole run as one self-contained page (-: stdout)",
	},
	{
		...{ flag: "perfetto", value: "FILE", values: "files" },
		help: "write a timeline of the whole run for ui.perfetto.dev and chrome://tracing (-: stdout)",
	},
	{
		...{ flag: "atif", value: "FILE", values: "files" },
		help: "write the whole run as an ATIF 1.7 trajectory (-: stdout)",
	},
	{ flag: "force", help: "overwrite FILE if it exists" },
];

function resumedLimitOption({ flag, unit, help }: Limit): OptionRow {
	return { flag, value: PLACEHOLDERS[unit], help: `${help} (default: the run's own)` };
}

function limitOption({ flag, unit, help, default: value }: Limit): OptionRow {
	return {
		...{ flag, value: PLACEHOLDERS[unit] },
		// A getter: a child agent reads the names of options at its start, and no help.
		get help() {
			return `${help} (default: ${formatDefaultLimit(unit, value)})`;
		},
	};
}
