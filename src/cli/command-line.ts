/** Runs the command that the arguments name, and gives its exit code. Commander's errors become usage errors of one line. */

import { parseArgs } from "node:util";
import { Command as CommanderCommand, CommanderError, Option } from "commander";
import { withWordFirst } from "../agent/start/child-args.ts";
import { defined } from "../core/defined.ts";
import { AgentreeError } from "../core/errors.ts";
import type { CommandRow } from "../project/config/command-row.ts";
import { COMMANDS, type Command } from "../project/config/command-table.ts";
import { isCommandWord } from "../project/config/command-words.ts";
import { refuseOtherArguments } from "../project/config/not-utf8.ts";
import { type OptionRow, type OptionValues, WORKTREE_OPTION } from "../project/config/option-table.ts";
import { refuseRef } from "../project/config/refuse-ref.ts";
import { TALK_OPTIONS } from "../project/config/session-options.ts";
import { VERSION } from "../project/version.ts";
import { print } from "../terminal/print.ts";
import { withDashedTaskLast } from "./dashed-task.ts";
import { hasTerminal } from "./io/has-screen.ts";
import { exitCodeAfter } from "./io/process-io.ts";

export async function runCommandLine(args: readonly string[]): Promise<number> {
	refuseOtherArguments(args);
	let exitCode = 0;
	let help = "";
	const program = createProgram({
		exit: (code) => {
			exitCode = code;
		},
		writeOut: (text) => {
			help += text;
		},
	});
	const line = withDefaultCommand(withDashedTaskLast(withWorktreeNamed(withWordFirst(args))));
	try {
		await program.parseAsync(line, { from: "user" });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		if (error.exitCode !== 0) throw usageError(error, line);
	}
	return help === "" ? exitCode : exitCodeAfter(await print(1, help), exitCode);
}

const TWO_TASKS =
	'there is a task, and "-", which is a task on stdin; to add stdin to the task: agent run --stdin "list the files"';

function usageError({ code, message }: CommanderError, line: readonly string[]): AgentreeError {
	const [word, ...rest] = line;
	if (code === "commander.help")
		return new AgentreeError("usage", `unknown command "${rest[0]}"; agent --help lists all`);
	const isStart = word === "run" || word === "tree";
	if (code === "commander.excessArguments" && isStart) refuseRef(rest.find((arg) => !arg.startsWith("-"))); // agent 1.2 show
	if (code === "commander.excessArguments" && isStart && rest.includes("-"))
		return new AgentreeError("usage", TWO_TASKS);
	const tooMany = COMMANDS.find((row) => row.word === word)?.tooMany;
	if (code === "commander.excessArguments" && tooMany !== undefined) return new AgentreeError("usage", tooMany);
	const [, most, got] = /Expected (\d+) arguments? but got (\d+)/.exec(message) ?? [];
	if (most !== undefined) {
		const takes =
			most === "0" ? "no argument" : `at most ${most} ${most === "1" ? "argument" : "arguments"}, not ${got}`;
		return new AgentreeError("usage", `agent ${word} takes ${takes}; see agent ${word} --help`);
	}
	return new AgentreeError("usage", `${oneLine(message)}; see agent ${isCommandWord(word) ? `${word} ` : ""}--help`);
}

/** Makes `agent "task"` into `agent run "task"`, and `agent` on a terminal into `agent talk`. A lone word that is no command is an error: it is taken for a mistyped command. */
function withDefaultCommand(args: readonly string[]): string[] {
	if (hasTerminal() && isTalkLine(args)) return ["talk", ...args];
	const first = args.find((arg) => !arg.startsWith("-"));
	const isHelp = args.some((arg) => ["-h", "--help", "-V", "--version"].includes(arg));
	if (first === undefined && (isHelp || (args.length === 0 && process.stdin.isTTY === true)))
		return args.length === 0 ? ["help"] : [...args];
	if (isCommandWord(args[0])) return [...args];
	if (first !== undefined && first === args[0] && isMistyped(first, args.slice(1)))
		throw new AgentreeError(
			"usage",
			`unknown command "${first}"; as a task it is: agent run "${args.join(" ")}"; see agent --help`,
		);
	return ["run", ...args];
}

/** True for a lone word, and for a word with more words behind it: a task of several words would be in quotes. */
function isMistyped(first: string, rest: readonly string[]): boolean {
	return /^[a-z][a-z-]*$/i.test(first) && !rest.some((arg) => arg.startsWith("-"));
}

function oneLine(message: string): string {
	return message
		.replace(/^error: /, "")
		.replace(/\s+/g, " ")
		.trim();
}

/** A line without a command and without a task: on a terminal it begins a conversation. */

const OPTIONS = Object.fromEntries(
	TALK_OPTIONS.map(({ flag, short, value }) => [
		flag,
		{ type: value === undefined ? ("boolean" as const) : ("string" as const), ...defined({ short }) },
	]),
);

/** `agent`, `agent -m opus`, `agent -c`: only options of a conversation. */
function isTalkLine(args: readonly string[]): boolean {
	const { tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true });
	return tokens.every((token) => token.kind === "option" && Object.hasOwn(OPTIONS, token.name));
}

/**
 * `--worktree` takes a name, and needs none: `agent --worktree "fix the bug"`, `agent --worktree parser "fix the bug"`. What follows it
 * is its name where another word is the task; `--worktree=NAME` is always one.
 */

const OPTION = `--${WORKTREE_OPTION.flag}`;

/** The arguments in which nothing but a name follows the option. */
function withWorktreeNamed(args: readonly string[]): string[] {
	const end = args.includes("--") ? args.indexOf("--") : args.length;
	const at = args.slice(0, end).indexOf(OPTION);
	const next = args[at + 1];
	if (at === -1 || at + 1 >= end || next === undefined || isOption(next)) return [...args];
	const others = [...args.slice(0, at), ...args.slice(at + 1)];
	const isName = !next.startsWith("-") && wordsIn(others).length > 1;
	if (isName) return [...args.slice(0, at), `${OPTION}=${next}`, ...args.slice(at + 2)];
	return [...others.slice(0, end - 1), OPTION, ...others.slice(end - 1)];
}

/** A text with white space that begins with a dash is a task. */
function isOption(arg: string): boolean {
	return arg.startsWith("-") && arg !== "-" && !/\s/.test(arg);
}

/** Without the command's own word, and the values of options. */
function wordsIn(args: readonly string[]): string[] {
	const command = COMMANDS.find(({ word }) => word === (isCommandWord(args[0]) ? args[0] : "run"));
	const options = Object.fromEntries(
		(command?.options ?? []).map(({ flag, short, value }) => [
			flag,
			{ type: value === undefined ? ("boolean" as const) : ("string" as const), ...defined({ short }) },
		]),
	);
	const { positionals } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true });
	return positionals.slice(isCommandWord(args[0]) ? 1 : 0);
}

/** The commander program that is made from the table of commands. */

const EXAMPLES = `
Examples:
  agent demo                                 watch a tree of agents, without a key
  agent                                      a conversation, on a terminal;  agent -c  goes on with the newest
  agent tree "find and fix the failing test" the live tree; prints the answer when it closes
  agent run "summarise README.md" > out.md   headless: stdout is the answer, nothing else
  git diff | agent run "review this"         stdin is added to the task
  agent run --model shell 'agent "date"'     two real agents, no model: the task is the command
  agent resume                               go on with a run that was interrupted, or met a limit
  agent ps                                   what is alive;  agent ps -a  what has been
  agent attach                               the live tree of a run, from any terminal
  agent show 1.2                             what an agent did;  agent log  what happened in the run

Inside a run, agents start child agents with  agent "task".  Exit codes: 0 answer, 1 failure, 2 usage, 3 limit,
4 not started, 70 bug, 74 stdout takes no more, 75 out of reach or resources, 77 key, 128+n signal.`;

interface ProgramHost {
	/** Gets the exit code of the command that was run. */
	readonly exit: (code: number) => void;
	/** Gets help, and the version. */
	readonly writeOut: (text: string) => void;
}

/** Commander's own errors are thrown as CommanderError, and nothing is printed. */
function createProgram({ exit, writeOut }: ProgramHost): CommanderCommand {
	const output = { writeOut, writeErr: () => {}, outputError: () => {} };
	const program = new CommanderCommand("agent")
		.description('Every agent is a process with one tool, bash; it starts child agents with: agent "task"')
		.version(VERSION, "-V, --version")
		.addHelpText("after", EXAMPLES)
		.exitOverride()
		.configureOutput(output)
		.showSuggestionAfterError(true);
	for (const row of COMMANDS) addCommand(program, row, exit).exitOverride().configureOutput(output);
	return program;
}

function addCommand(program: CommanderCommand, row: CommandRow, exit: ProgramHost["exit"]): CommanderCommand {
	const { word, help, options, isHidden } = row;
	const added = program.command([word, ...row.arguments].join(" "), { hidden: isHidden === true }).description(help);
	for (const option of options) added.addOption(asOption(option));
	return added.action(async (...given: unknown[]) => {
		const args = given.slice(0, row.arguments.length).flat() as (string | undefined)[]; // of `[name...]` a list
		const command = await loadCommand(word);
		exit(await command(args, byFlag(added.opts(), options)));
	});
}

function asOption({ flag, short, value, isValueOptional, isRepeatable, help, isHidden }: OptionRow): Option {
	const names = short === undefined ? `--${flag}` : `-${short}, --${flag}`;
	const taken = value === undefined ? "" : isValueOptional === true ? ` [${value}]` : ` <${value}>`;
	const option = new Option(`${names}${taken}`, help).hideHelp(isHidden === true);
	return isRepeatable
		? option.argParser((given, before?: string) => (before === undefined ? given : `${before}\n${given}`))
		: option;
}

/** Each command's file is loaded when it is asked for. */
async function loadCommand(word: string): Promise<Command> {
	const { command } = (await import(`./commands/${word}.ts`)) as { command: Command };
	return command;
}

/** Commander's camelCase back to the names of the flags. What a `--no-x` sets, for commander, is an x that is false. */
function byFlag(values: OptionValues, options: readonly OptionRow[]): OptionValues {
	return Object.fromEntries(
		Object.entries(values).flatMap(([name, value]) => {
			const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
			if (options.some((row) => row.flag === flag)) return [[flag, value]];
			return value === false ? [[`no-${flag}`, true]] : [];
		}),
	);
}
