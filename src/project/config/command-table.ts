/**
 * The commands, a row each. The command line, its help and its errors, and the shells' completion are made from these rows. A row's
 * `word` is also the name of its file: `cli/commands/WORD.ts`.
 */
import { ASKING_OPTIONS } from "./asking-options.ts";
import type { CommandRow } from "./command-row.ts";
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
import { SESSION_OPTIONS, TALK_OPTIONS } from "./session-options.ts";

/** The commands by which agents ask, and a person answers: rows of the table of commands. */
const ASKING_COMMANDS: readonly CommandRow[] = [
	{
		word: "ask",
		arguments: ["[question]"],
		help: "in an agent's bash: asks a person, waits as long as it takes, and prints the answer",
		options: [
			{ flag: "choices", value: "A,B,C", help: "the answers that fit" },
			{ flag: "why", value: "TEXT", help: "the reason, which the person sees, too" },
			{ flag: "run", value: "COMMAND", help: "asks to run this once outside of the sandbox, and runs it after a yes" },
			{ flag: "allow-write", value: "DIR", help: "with --run: in the sandbox, with this directory writable, too" },
			{ flag: "allow-host", value: "NAME", help: "with --run: in the sandbox, with this host reachable, too" },
		],
	},
	{
		word: "questions",
		arguments: ["[ref]"],
		help: "what agents ask and nobody has answered, of a run, or of all that run now",
		options: [{ flag: "follow", short: "f", help: "until the run is over" }, JSON_OUTPUT],
	},
	{
		word: "answer",
		arguments: ["<question>", "<answer>", "[words]"],
		help: "answers a question: allow, always, project, no, stop, one of its choices, or words; QUESTION is RUN#N, or N while one run goes on",
		options: [JSON_OUTPUT],
		tooMany: 'the words are one argument: quote them, as in agent answer 3 no "use the staging server"',
	},
];

/** The `command` that each file in `cli/commands/` exports. Resolves to the exit code; throws AgentreeError. */
export type Command = (args: readonly (string | undefined)[], values: OptionValues) => Promise<number>;

const START_OPTIONS: readonly OptionRow[] = [
	...RUN_OPTIONS,
	...SANDBOX_OPTIONS,
	SCHEMA_OPTION,
	WORKTREE_OPTION,
	FALLBACK_OPTION,
	CREDENTIALS_OPTION,
	...ASKING_OPTIONS,
	{ flag: "detach", help: "start the run, print its id, and leave it running" },
];
const ENV_FILE = RUN_OPTIONS.find(({ flag }) => flag === "env-file") as OptionRow;
const follow = (until: string): OptionRow => ({ flag: "follow", short: "f", help: `until ${until}` });
const task = (word: string) => `the task is one argument: quote it, as in agent ${word} "list the files"`;

export const COMMANDS: readonly CommandRow[] = [
	{
		word: "run",
		arguments: ["[task]"],
		help: "headless: stdout is the answer (task - : from stdin)",
		options: [...START_OPTIONS, INPUT_OPTION, ...SESSION_OPTIONS],
		tooMany: task("run"),
	},
	{
		word: "tree",
		arguments: ["[task]"],
		help: "a live dashboard; prints the answer when it closes",
		// It takes the format `text`, as every run does, and has no other.
		options: START_OPTIONS.map((row) => (row.flag === "output-format" ? { ...row, isHidden: true } : row)),
		tooMany: task("tree"),
	},
	{
		word: "talk",
		arguments: ["[message]"],
		help: "a conversation with an agent, on a terminal; also: agent, without a task",
		options: TALK_OPTIONS,
		tooMany: 'the message is one argument: quote it, as in agent talk "list the files"',
	},
	{
		word: "attach",
		arguments: ["[run]"],
		help: "the dashboard on a run that is alive, or over; any number of them",
		options: [],
	},
	{
		word: "resume",
		arguments: ["[run]", "[message]"],
		help: "go on with a run that was interrupted, or that has answered; inside a run: agent resume 1.2",
		options: [
			{ flag: "tree", help: "in a live dashboard" },
			{ flag: "yes", help: "also when the run comes from elsewhere: a copy, an archive, a repository" },
			...RESUME_OPTIONS,
			...SANDBOX_OPTIONS,
			FALLBACK_OPTION,
			CREDENTIALS_OPTION,
			...ASKING_OPTIONS,
		],
		tooMany: 'the message is one argument: quote it, as in agent resume RUN "also do x"',
	},
	{
		word: "demo",
		arguments: [],
		help: "a tree of real processes whose thinking is scripted; needs no key",
		options: [{ ...{ flag: "cd", short: "C", value: "DIR", values: "directories" }, help: "look at this directory" }],
		tooMany: 'agent demo has a task of its own; agent tree "list the files" is for yours',
	},
	{ word: "supervise", arguments: [], help: "", options: [], isHidden: true },
	{
		word: "ps",
		arguments: ["[run]"],
		help: "runs and their agents: what each does now, or what came of it",
		options: [
			{ flag: "all", short: "a", help: "runs that are over, too; on a terminal the newest" },
			{ flag: "older", help: "all runs that are over" },
			JSON_OUTPUT,
		],
	},
	{
		word: "ls",
		arguments: ["[words]"],
		help: "the conversations of this directory, the last used first; words: those in which they stand",
		options: [{ flag: "all", short: "a", help: "of all directories" }, JSON_OUTPUT],
		tooMany: 'the words are one argument: quote them, as in agent ls "toml parser"',
	},
	{
		word: "show",
		arguments: ["[ref]"],
		help: "what an agent did: RUN, RUN/1.2, or 1.2 of the newest run of this directory",
		options: [
			{ flag: "verbose", short: "v", help: "leaves nothing out: results are whole, all limits are told" },
			...[JSON_OUTPUT, follow("the agent ends, with what its commands print"), ...EXPORT_OPTIONS],
		],
	},
	{
		word: "log",
		arguments: ["[ref]"],
		help: "what happened in a run, or below an agent",
		options: [JSON_OUTPUT, follow("the run ends")],
	},
	{
		word: "stop",
		arguments: ["[ref]"],
		help: "ends a run, or an agent and all below it, and answers when nothing of it lives",
		options: [JSON_OUTPUT],
	},
	{
		word: "kill",
		arguments: ["[ref]"],
		help: "as stop, at once: without SIGTERM and the grace",
		options: [JSON_OUTPUT],
	},
	{
		word: "pause",
		arguments: ["[ref]"],
		help: "holds a run, or an agent and all below it, at their next calls; their clocks stand still",
		options: [{ flag: "hard", help: "freeze their commands, too" }, JSON_OUTPUT],
	},
	{ word: "continue", arguments: ["[ref]"], help: "ends a pause", options: [JSON_OUTPUT] },
	{
		word: "send",
		arguments: ["[ref]", "[message]"],
		help: "a message to an agent, which it gets with its next call",
		options: [JSON_OUTPUT],
		tooMany: 'the message is one argument: quote it, as in agent send 1.2 "look at the tests"',
	},
	{
		word: "wait",
		arguments: ["[ref]"],
		help: "until a run or an agent is over; the exit code tells how it ended",
		options: [JSON_OUTPUT, RESULT_OUTPUT],
	},
	{
		word: "why",
		arguments: ["[ref]"],
		help: "why an agent ended, or has not: the chain of causes, nearest first",
		options: [JSON_OUTPUT],
	},
	{
		word: "edit",
		arguments: ["<file>"],
		help: "replace texts in a file by the blocks on stdin (<<<<<<< SEARCH, old lines, =======, new lines, >>>>>>> REPLACE): all of them, or none; prints the difference",
		options: [],
	},
	{
		word: "write",
		arguments: ["<file>"],
		help: "write stdin to a file, whole, with the directories on the way to it",
		options: [],
	},
	{
		word: "todo",
		arguments: ["[change]", "[items...]"],
		help: "in an agent's bash: its plan. set and add (items, or lines on stdin), doing N, done N, open N, clear",
		options: [],
		values: ["set", "add", "doing", "done", "open", "clear"],
	},
	...ASKING_COMMANDS,
	{
		word: "undo",
		arguments: ["[run]"],
		help: "puts the files of a conversation back to what they were before a message; first it shows them",
		options: [
			{ flag: "yes", help: "put them back" },
			{ flag: "to", value: "N", help: "to this kept state" },
			{ flag: "list", help: "the kept states" },
			JSON_OUTPUT,
		],
	},
	{
		word: "name",
		arguments: ["[run]", "[name]"],
		help: "gives a run a name, by which lists and -r know it; an empty one takes it away",
		options: [],
		tooMany: 'the name is one argument: quote it, as in agent name RUN "the parser"',
	},
	{
		word: "rm",
		arguments: ["[run...]"],
		help: "removes runs that are over, with all their files; says first which, and asks",
		options: [
			{ flag: "older-than", value: "TIME", help: "those of this directory that were not used for so long: 30d, 12h" },
			{ flag: "all-directories", help: "with --older-than: those of all directories" },
			{ flag: "yes", help: "removes them without asking" },
		],
	},
	{
		word: "models",
		arguments: ["[service]"],
		help: "the models of all services that there is a key for, with what is known of their prices and sizes",
		options: [ENV_FILE, CREDENTIALS_OPTION, JSON_OUTPUT],
	},
	{
		word: "doctor",
		arguments: [],
		help: "is everything here that a run needs?",
		options: [
			{ flag: "online", help: "also call each service that there is a key for, once" },
			ENV_FILE,
			CREDENTIALS_OPTION,
			JSON_OUTPUT,
		],
	},
	{
		word: "completion",
		arguments: ["<shell>"],
		help: "a script that completes the command line, for bash, zsh or fish",
		options: [],
		values: ["bash", "zsh", "fish"],
	},
];
