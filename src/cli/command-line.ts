/** Runs the command that the arguments name, and gives its exit code. Commander's errors become usage errors of one line. */

import { Command as CommanderCommand, CommanderError, Option } from "commander";
import { AgentreeError } from "../core/errors.ts";
import { COMMANDS, type Command, type CommandRow } from "../project/config/command-table.ts";
import { type CommandWord, isCommandWord } from "../project/config/command-words.ts";
import { refuseOtherArguments } from "../project/config/not-utf8.ts";
import type { OptionRow, OptionValues } from "../project/config/option-table.ts";
import { refuseRef } from "../project/config/run-names.ts";
import { VERSION } from "../project/version.ts";
import { print } from "../terminal/print.ts";
import { exitCodeAfter, hasTerminal, type PrintingCommand, withProcessIo } from "./io/process-io.ts";
import { normalizeArgs } from "./normalize-args.ts";

export async function runCommandLine(args: readonly string[]): Promise<number> {
	refuseOtherArguments(args);
	let exitCode = 0;
	let help = "";
	const line = normalizeArgs(args, { hasTerminal: hasTerminal(), isStdinTTY: process.stdin.isTTY === true });
	const program = createProgram({
		word: line[0],
		exit: (code) => {
			exitCode = code;
		},
		writeOut: (text) => {
			help += text;
		},
	});
	try {
		await program.parseAsync(line, { from: "user" });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		if (error.exitCode !== 0) throw usageError(error, line);
	}
	return help === "" ? exitCode : exitCodeAfter(await print(1, help), exitCode);
}

const TWO_TASKS =
	'give a task or "-" (read the task from stdin), not both; to append stdin to the task: agent run --stdin "list the files"';

function usageError({ code, message }: CommanderError, line: readonly string[]): AgentreeError {
	const [word, ...rest] = line;
	if (code === "commander.help") return new AgentreeError("usage", `unknown command "${rest[0]}"; see agent --help`);
	const isStart = word === "run" || word === "tree";
	if (code === "commander.excessArguments" && isStart) refuseRef(rest.find((arg) => !arg.startsWith("-"))); // agent 1.2 show
	if (code === "commander.excessArguments" && isStart && rest.includes("-"))
		return new AgentreeError("usage", TWO_TASKS);
	const tooMany = COMMANDS.find((row) => row.word === word)?.tooMany;
	if (code === "commander.excessArguments" && tooMany !== undefined) return new AgentreeError("usage", tooMany);
	const [, most, got] = /Expected (\d+) arguments? but got (\d+)/.exec(message) ?? [];
	if (most !== undefined) {
		const takes =
			most === "0" ? "no arguments" : `at most ${most} ${most === "1" ? "argument" : "arguments"}, not ${got}`;
		return new AgentreeError("usage", `agent ${word} takes ${takes}; see agent ${word} --help`);
	}
	return new AgentreeError("usage", `${oneLine(message)}; see agent ${isCommandWord(word) ? `${word} ` : ""}--help`);
}

function oneLine(message: string): string {
	return message
		.replace(/^error: /, "")
		.replace(/\s+/g, " ")
		.trim();
}

const EXAMPLES = `
Examples:
  agent demo                                 watch a tree of agents; needs no key
  agent                                      chat in the terminal;  agent -c  continues the most recent chat
  agent tree "find and fix the failing test" live dashboard; prints the answer when it closes
  agent run "summarize README.md" > out.md   only the answer goes to stdout
  git diff | agent run "review this"         stdin is appended to the task
  agent run --model shell 'agent "date"'     two real agents without a model: the task is the command
  agent resume                               resume a run that was interrupted or reached a limit
  agent ps                                   live runs;  agent ps -a  finished ones, too
  agent attach                               the dashboard of a run, from any terminal
  agent show 1.2                             what an agent did;  agent log  what happened in the run

Inside a run, agents start child agents with  agent "task".  Exit codes: 0 answer, 1 failure, 2 usage, 3 limit,
4 not started, 70 bug, 74 stdout not writable, 75 unreachable or out of resources, 77 key, 128+n signal.`;

interface ProgramHost {
	/** The first of the line. A command with this name is all that the program has to know: the options of all take 3 ms. */
	readonly word: string | undefined;
	/** Called with the exit code of the command. */
	readonly exit: (code: number) => void;
	/** Called with help and version text. */
	readonly writeOut: (text: string) => void;
}

/** Commander's own errors are thrown as CommanderError, and nothing is printed. */
function createProgram({ word, exit, writeOut }: ProgramHost): CommanderCommand {
	const output = { writeOut, writeErr: () => {}, outputError: () => {} };
	const program = new CommanderCommand("agent")
		.description('Each agent is a process with one tool, bash, and starts child agents with: agent "task"')
		.version(VERSION, "-V, --version")
		.addHelpText("after", EXAMPLES)
		.exitOverride()
		.configureOutput(output)
		.configureHelp({
			subcommandTerm: (command) => `${command.name()} ${command.usage().replace(/\[options\] ?/, "")}`.trim(),
		})
		.showSuggestionAfterError(true);
	const asked = COMMANDS.filter((row) => row.word === word);
	for (const row of asked.length > 0 ? asked : COMMANDS)
		addCommand(program, row, exit).exitOverride().configureOutput(output);
	program.commandsGroup("Set up:").helpCommand("help [command]", "Show the help of a command");
	return program;
}

function addCommand(program: CommanderCommand, row: CommandRow, exit: ProgramHost["exit"]): CommanderCommand {
	const { word, help, details, options, group } = row;
	const added = program.command([word, ...row.arguments].join(" "), { hidden: group === undefined });
	added.summary(help).description(details === undefined ? help : `${help}. ${details}`);
	if (group !== undefined) added.helpGroup(`${group}:`);
	for (const option of options) added.addOption(asOption(option));
	return added.action(async (...given: unknown[]) => {
		const args = given.slice(0, row.arguments.length).flat() as (string | undefined)[]; // of `[name...]` a list
		const command = await LOADERS[word]();
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

/** What each command does, from a file that is loaded when the command is used. */
const LOADERS: Readonly<Record<CommandWord, () => Promise<Command>>> = {
	run: async () => (await import("./commands/run.ts")).run,
	tree: async () => (await import("./commands/run.ts")).tree,
	chat: async () => (await import("./commands/chat.ts")).chatCommand,
	resume: async () => (await import("./commands/run.ts")).resume,
	demo: async () => (await import("./commands/run.ts")).demo,
	supervise: async () => (await import("./commands/run.ts")).supervise,
	ps: printing(async () => (await import("./commands/ps.ts")).ps),
	attach: printing(async () => (await import("./commands/attach.ts")).attach),
	wait: printing(async () => (await import("./commands/wait.ts")).wait),
	questions: printing(async () => (await import("./commands/questions.ts")).questions),
	send: printing(async () => (await import("./commands/steer.ts")).send),
	answer: printing(async () => (await import("./commands/questions.ts")).answer),
	pause: printing(async () => (await import("./commands/steer.ts")).pause),
	continue: printing(async () => (await import("./commands/steer.ts")).endPause),
	stop: printing(async () => (await import("./commands/stop.ts")).stop),
	undo: printing(async () => (await import("./commands/undo.ts")).undo),
	ls: printing(async () => (await import("./commands/ls.ts")).ls),
	show: printing(async () => (await import("./commands/show.ts")).show),
	log: printing(async () => (await import("./commands/log.ts")).log),
	why: printing(async () => (await import("./commands/why.ts")).why),
	rm: printing(async () => (await import("./commands/rm.ts")).rm),
	doctor: printing(async () => (await import("./commands/doctor.ts")).doctor),
	models: printing(async () => (await import("./commands/models.ts")).models),
	completion: printing(async () => (await import("./commands/completion.ts")).completion),
	edit: printing(async () => (await import("./commands/edit.ts")).edit),
	write: printing(async () => (await import("./commands/edit.ts")).write),
	todo: onlyForAgents("agent todo works only in an agent's bash and takes no options; to see a plan: agent show"),
	ask: onlyForAgents("agent ask works only in an agent's bash; see agent questions and agent answer"),
};

function printing(load: () => Promise<PrintingCommand>): () => Promise<Command> {
	return async () => {
		const command = await load();
		return (args, values) => withProcessIo((io) => command(args, values, io));
	};
}

/** Inside a run such a command never comes here: the child's bundle has it. */
function onlyForAgents(message: string): () => Promise<Command> {
	return () => Promise.reject(new AgentreeError("usage", message));
}
