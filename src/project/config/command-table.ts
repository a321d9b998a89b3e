/**
 * All commands, one row each. The command line, its help, its usage errors and shell completion are made from these rows; what each does
 * is in the table of cli/command-line.ts.
 */

import { ASKING_OPTIONS } from "./asking-options.ts";
import type { CommandWord } from "./command-words.ts";
import {
	CREDENTIALS_OPTION,
	EXPORT_OPTIONS,
	FALLBACK_OPTION,
	INPUT_OPTION,
	JSON_OUTPUT,
	type OptionRow,
	type OptionValues,
	RESULT_OUTPUT,
	RESUME_OPTIONS,
	RUN_OPTIONS,
	SCHEMA_OPTION,
	WORKTREE_OPTION,
} from "./option-table.ts";
import { SANDBOX_OPTIONS } from "./sandbox-options.ts";

/** The groups of `agent --help`. */
type CommandGroup = "Run" | "Watch" | "Act" | "Look back" | "Set up" | "For agents, in their bash";

export interface CommandRow {
	/** Its group in `agent --help`; absent: the command is for the program itself, and help and completion do not show it. */
	readonly group?: CommandGroup;
	readonly word: CommandWord;
	/** `<name>` is required, `[name]` is not, `[name...]` may stand several times. `[run]` and `[ref]` name runs and agents, which completion offers. */
	readonly arguments: readonly string[];
	readonly help: string;
	/** What only the help of the command itself says. */
	readonly details?: string;
	readonly options: readonly OptionRow[];
	/** The error for more arguments than the command takes; absent: the error says how many it takes. */
	readonly tooMany?: string;
	/** What its argument may be, for completion. */
	readonly values?: readonly string[];
}

/** Resolves to the exit code; throws AgentreeError. */
export type Command = (args: readonly (string | undefined)[], values: OptionValues) => Promise<number>;

const START_OPTIONS: readonly OptionRow[] = [
	...RUN_OPTIONS,
	...SANDBOX_OPTIONS,
	SCHEMA_OPTION,
	WORKTREE_OPTION,
	FALLBACK_OPTION,
	CREDENTIALS_OPTION,
	...ASKING_OPTIONS,
	{ flag: "detach", help: "start the run in the background and print its id" },
];
const ENV_FILE = RUN_OPTIONS.find(({ flag }) => flag === "env-file") as OptionRow;
const follow = (until: string): OptionRow => ({ flag: "follow", short: "f", help: `keep printing ${until}` });
const quoted = (what: string, example: string) => `${what} must be one argument: quote it, as in agent ${example}`;

/** The name of a conversation. */
const NAME_OPTION: OptionRow = { flag: "name", value: "TEXT", help: "name the conversation, for lists and -r" };

/** The options that choose which conversation to continue. A child has none of them. */
const SESSION_OPTIONS: readonly OptionRow[] = [
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

const RUN_COMMANDS: readonly CommandRow[] = [
	{
		...{ word: "run", group: "Run", arguments: ["[task]"] },
		help: 'Run a task and print only its answer (task "-": read it from stdin)',
		options: [...START_OPTIONS, INPUT_OPTION, ...SESSION_OPTIONS],
		tooMany: quoted("the task", 'run "list the files"'),
	},
	{
		...{ word: "tree", group: "Run", arguments: ["[task]"] },
		help: "Run a task with a live dashboard; print the answer when it closes",
		// It accepts the format `text`, as every run does, and no other.
		options: START_OPTIONS.map((row) => (row.flag === "output-format" ? { ...row, isHidden: true } : row)),
		tooMany: quoted("the task", 'tree "list the files"'),
	},
	{
		...{ word: "chat", group: "Run", arguments: ["[message]"] },
		help: "Chat with an agent in the terminal; also: agent, without a task",
		options: CHAT_OPTIONS,
		tooMany: quoted("the message", 'chat "list the files"'),
	},
	{
		...{ word: "resume", group: "Run", arguments: ["[run]", "[message]"] },
		help: "Resume a run that was interrupted, or continue one that has answered",
		details: "Inside a run, agent resume 1.2 resumes a child agent.",
		options: [
			{ flag: "tree", help: "show a live dashboard" },
			{ flag: "yes", help: "resume even if the run comes from elsewhere: a copy, an archive, a repository" },
			...RESUME_OPTIONS,
			...SANDBOX_OPTIONS,
			FALLBACK_OPTION,
			CREDENTIALS_OPTION,
			...ASKING_OPTIONS,
		],
		tooMany: quoted("the message", 'resume RUN "also do x"'),
	},
	{
		...{ word: "demo", group: "Run", arguments: [] },
		help: "Watch a tree of real processes that follow a script; needs no key",
		options: [{ ...{ flag: "cd", short: "C", value: "DIR", values: "directories" }, help: "directory to explore" }],
		tooMany: 'agent demo has its own task; for yours: agent tree "list the files"',
	},
	{ word: "supervise", arguments: [], help: "", options: [] },
];

const WATCH_COMMANDS: readonly CommandRow[] = [
	{
		...{ word: "ps", group: "Watch", arguments: ["[run]"] },
		help: "List runs and their agents: what each is doing, or how it ended",
		options: [
			{ flag: "all", short: "a", help: "also finished runs (on a terminal the most recent ones)" },
			{ flag: "older", help: "all finished runs" },
			JSON_OUTPUT,
		],
	},
	{
		...{ word: "attach", group: "Watch", arguments: ["[run]"] },
		help: "Open the dashboard on a live or finished run; several can be open at once",
		options: [],
	},
	{
		...{ word: "wait", group: "Watch", arguments: ["[ref]"] },
		help: "Wait until a run or an agent ends; the exit code says how it ended",
		options: [JSON_OUTPUT, RESULT_OUTPUT],
	},
	{
		...{ word: "questions", group: "Watch", arguments: ["[ref]"] },
		help: "List unanswered questions from agents, of one run or of all live runs",
		options: [follow("until the run ends"), JSON_OUTPUT],
	},
];

const ACT_COMMANDS: readonly CommandRow[] = [
	{
		...{ word: "send", group: "Act", arguments: ["[ref]", "[message]"] },
		help: "Send a message to an agent; it arrives with its next model call",
		options: [JSON_OUTPUT],
		tooMany: quoted("the message", 'send 1.2 "look at the tests"'),
	},
	{
		...{ word: "answer", group: "Act", arguments: ["<question>", "<answer>", "[words]"] },
		help: "Answer a question from an agent",
		details:
			"QUESTION is RUN#N, or N while only one run is alive. ANSWER is allow, always, project, no, stop, one of the choices, or text.",
		options: [JSON_OUTPUT],
		tooMany: quoted("the text", 'answer 3 no "use the staging server"'),
	},
	{
		...{ word: "pause", group: "Act", arguments: ["[ref]"] },
		help: "Pause a run, or an agent and all below it, before the next model call",
		details: "Time limits do not run meanwhile.",
		options: [{ flag: "hard", help: "freeze running commands, too" }, JSON_OUTPUT],
	},
	{ ...{ word: "continue", group: "Act", arguments: ["[ref]"] }, help: "End a pause", options: [JSON_OUTPUT] },
	{
		...{ word: "stop", group: "Act", arguments: ["[ref]"] },
		help: "Stop a run, or an agent and all below it, and wait until all its processes have ended",
		options: [{ flag: "now", help: "kill at once: no SIGTERM, no grace period" }, JSON_OUTPUT],
	},
	{
		...{ word: "undo", group: "Act", arguments: ["[run]"] },
		help: "Restore the files of a conversation to their state before a message",
		details: "Without --yes it only shows what would change.",
		options: [
			{ flag: "yes", help: "restore them" },
			{ flag: "to", value: "N", help: "restore this saved state" },
			{ flag: "list", help: "list the saved states" },
			JSON_OUTPUT,
		],
	},
];

const PAST_COMMANDS: readonly CommandRow[] = [
	{
		...{ word: "ls", group: "Look back", arguments: ["[words]"] },
		help: "List the conversations of this directory, most recent first, or those that contain WORDS",
		options: [
			{ flag: "all", short: "a", help: "in all directories" },
			{
				...NAME_OPTION,
				help: "name the conversation that WORDS or a run id select (default: the most recent); empty: no name",
			},
			JSON_OUTPUT,
		],
		tooMany: quoted("the words", 'ls "toml parser"'),
	},
	{
		...{ word: "show", group: "Look back", arguments: ["[ref]"] },
		help: "Show what an agent did: RUN, RUN/1.2, or 1.2 in the most recent run of this directory",
		options: [
			{ flag: "verbose", short: "v", help: "show everything: whole results and all limits" },
			...[JSON_OUTPUT, follow("until the agent ends, with the output of its commands"), ...EXPORT_OPTIONS],
		],
	},
	{
		...{ word: "log", group: "Look back", arguments: ["[ref]"] },
		help: "Show the events of a run, or of an agent and all below it",
		options: [JSON_OUTPUT, follow("until the run ends")],
	},
	{
		...{ word: "why", group: "Look back", arguments: ["[ref]"] },
		help: "Explain why an agent ended, or why it has not: the chain of causes, nearest first",
		options: [JSON_OUTPUT],
	},
	{
		...{ word: "rm", group: "Look back", arguments: ["[run...]"] },
		help: "Remove finished runs and all their files; lists them and asks first",
		options: [
			{ flag: "older-than", value: "TIME", help: "runs of this directory that were not used for this long: 30d, 12h" },
			{ flag: "all-directories", help: "with --older-than: runs of all directories" },
			{ flag: "yes", help: "remove them without asking" },
		],
	},
];

const SET_UP_COMMANDS: readonly CommandRow[] = [
	{
		...{ word: "doctor", group: "Set up", arguments: [] },
		help: "Check that everything a run needs is available",
		options: [
			{ flag: "online", help: "also call each service that you have a key for, once" },
			...[ENV_FILE, CREDENTIALS_OPTION, JSON_OUTPUT],
		],
	},
	{
		...{ word: "models", group: "Set up", arguments: ["[service]"] },
		help: "List the models of all services that you have a key for",
		options: [ENV_FILE, CREDENTIALS_OPTION, JSON_OUTPUT],
	},
	{
		...{ word: "completion", group: "Set up", arguments: ["<shell>"] },
		help: "Print a completion script for bash, zsh or fish",
		options: [],
		values: ["bash", "zsh", "fish"],
	},
];

const AGENT_COMMANDS: readonly CommandRow[] = [
	{
		...{ word: "edit", group: "For agents, in their bash", arguments: ["<file>"] },
		help: "Replace text in a file by SEARCH/REPLACE blocks on stdin: all or none; prints a diff",
		details: "A block has these lines: <<<<<<< SEARCH, old lines, =======, new lines, >>>>>>> REPLACE.",
		options: [],
	},
	{
		...{ word: "write", group: "For agents, in their bash", arguments: ["<file>"] },
		help: "Write stdin to a file, and create missing directories",
		options: [],
	},
	{
		...{ word: "todo", group: "For agents, in their bash", arguments: ["[change]", "[items...]"] },
		help: "Keep a plan of the task",
		details:
			"set and add take items, or lines on stdin; doing N, done N and open N mark an item; clear removes the plan.",
		options: [],
		values: ["set", "add", "doing", "done", "open", "clear"],
	},
	{
		...{ word: "ask", group: "For agents, in their bash", arguments: ["[question]"] },
		help: "Ask the user a question, wait as long as it takes, and print the answer",
		options: [
			{ flag: "choices", value: "A,B,C", help: "the possible answers" },
			{ flag: "why", value: "TEXT", help: "the reason, shown to the user" },
			{ flag: "run", value: "COMMAND", help: "ask to run this command once outside the sandbox; run it after a yes" },
			{ flag: "allow-write", value: "DIR", help: "with --run: stay in the sandbox, with this directory writable" },
			{ flag: "allow-host", value: "NAME", help: "with --run: stay in the sandbox, with this host reachable" },
		],
	},
];

export const COMMANDS: readonly CommandRow[] = [
	...RUN_COMMANDS,
	...WATCH_COMMANDS,
	...ACT_COMMANDS,
	...PAST_COMMANDS,
	...SET_UP_COMMANDS,
	...AGENT_COMMANDS,
];
