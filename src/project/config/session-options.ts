/** The options of conversations, apart from those of all runs, which every child loads when it starts. */
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

/** The name of a conversation. */
export const NAME_OPTION: OptionRow = { flag: "name", value: "TEXT", help: "name it, for lists and -r" };

/** The options that choose which conversation to continue. A child has none of them. */
export const SESSION_OPTIONS: readonly OptionRow[] = [
	{ flag: "continue", short: "c", help: "continue the most recent conversation in this directory" },
	{
		...{ flag: "resume", short: "r", value: "REF", isValueOptional: true, values: "runs" },
		help: "continue a conversation: its run id, its name, or words in it",
	},
	{ flag: "fork", help: "with -c or -r: continue a copy and leave the original as it is" },
	NAME_OPTION,
];

/** A chat on a terminal has no use for options of stdout, stderr and stdin. */
const NOT_ON_TERMINAL: ReadonlySet<string> = new Set(["wait-for-place", "output-format", "stdin", "quiet", "verbose"]);

/** The options of `agent chat`, and of `agent` without a task. */
export const CHAT_OPTIONS: readonly OptionRow[] = [
	...SESSION_OPTIONS,
	...RUN_OPTIONS.filter(({ flag }) => !NOT_ON_TERMINAL.has(flag)),
	...SANDBOX_OPTIONS,
	WORKTREE_OPTION,
	FALLBACK_OPTION,
	CREDENTIALS_OPTION,
	...ASKING_OPTIONS,
	{ ...SCHEMA_OPTION, isHidden: true }, // refused, with what to use instead
];
