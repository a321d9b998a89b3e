/** What the completion of every shell needs of the table of commands. */
import { COMMANDS, type CommandRow } from "../../config/command-table.ts";
import { type OptionRow, RUN_OPTIONS } from "../../config/option-table.ts";

/** Both names of the program. */
export const PROGRAMS = ["agent", "agentree"];

export const SHOWN_COMMANDS: readonly CommandRow[] = COMMANDS.filter(({ isHidden }) => isHidden !== true);

export const COMMAND_WORDS: readonly string[] = [...SHOWN_COMMANDS.map(({ word }) => word), "help"];

/** Without a command's word the line is one of `agent run`. */
export function shownOptions(row: CommandRow | undefined): readonly OptionRow[] {
	return (row?.options ?? RUN_OPTIONS).filter(({ isHidden }) => isHidden !== true);
}

/** A flag means the same in every command that has it. */
export function allOptions(): readonly OptionRow[] {
	const rows = COMMANDS.flatMap(({ options }) => options);
	return [...new Map(rows.map((row) => [row.flag, row])).values()];
}

/** Its arguments name runs, or agents of runs. */
export function takesRuns({ arguments: [first = ""] }: CommandRow): boolean {
	return /^.(run|ref).$/.test(first);
}

/** `--model`, and `-m`. */
export function spellings({ flag, short }: OptionRow): string[] {
	return [`--${flag}`, ...(short === undefined ? [] : [`-${short}`])];
}

/** In a shell: the names of the runs, newest first. */
export const LIST_RUNS =
	'command ls -1r "$' + "{AGENTREE_HOME:-$" + '{XDG_STATE_HOME:-$HOME/.local/state}/agentree}/runs" 2>/dev/null';
