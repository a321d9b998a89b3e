/** The options of conversations, apart from those of all runs: every child reads these at its start, and has no use for the others. */
import { ASKING_OPTIONS } from "./asking-options.ts";
import {
	CREDENTIALS_OPTION,
	FALLBACK_OPTION,
	type OptionRow,
	RUN_OPTIONS,
	SCHEMA_OPTION,
	WORKTREE_OPTION,
} from "./option-table.ts";
import { SANDBOX_OPTIONS } from "./sandbox-options.ts";

/** The options that choose the conversation which a person goes on with. A child has none of them. */
export const SESSION_OPTIONS: readonly OptionRow[] = [
	{ flag: "continue", short: "c", help: "go on with the newest conversation of this directory" },
	{
		...{ flag: "resume", short: "r", value: "REF", isValueOptional: true, values: "runs" },
		help: "go on with this one: a run, its name, or words of it",
	},
	{ flag: "fork", help: "with -c or -r: go on with a copy, and leave the first as it is" },
	{ flag: "name", value: "TEXT", help: "what it is called in lists, and by -r" },
];

/** What stdout and stderr get, and what stdin adds, is no matter of a conversation. */
const NOT_ON_TERMINAL: ReadonlySet<string> = new Set(["wait-for-place", "output-format", "stdin", "quiet", "verbose"]);

/** The options of `agent talk`, and of `agent` without a task. */
export const TALK_OPTIONS: readonly OptionRow[] = [
	...SESSION_OPTIONS,
	...RUN_OPTIONS.filter(({ flag }) => !NOT_ON_TERMINAL.has(flag)),
	...SANDBOX_OPTIONS,
	WORKTREE_OPTION,
	FALLBACK_OPTION,
	CREDENTIALS_OPTION,
	...ASKING_OPTIONS,
	{ ...SCHEMA_OPTION, isHidden: true }, // is refused with what there is instead
];
