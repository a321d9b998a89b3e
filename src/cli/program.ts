/** The commander program that is made from the table of commands. */
import { Command as CommanderCommand, Option } from "commander";
import type { CommandRow } from "../config/command-row.ts";
import { COMMANDS, type Command } from "../config/command-table.ts";
import type { OptionRow, OptionValues } from "../config/option-table.ts";
import { VERSION } from "../config/version.ts";

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

export interface ProgramHost {
	/** Gets the exit code of the command that was run. */
	readonly exit: (code: number) => void;
	/** Gets help, and the version. */
	readonly writeOut: (text: string) => void;
}

/** Commander's own errors are thrown as CommanderError, and nothing is printed. */
export function createProgram({ exit, writeOut }: ProgramHost): CommanderCommand {
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
