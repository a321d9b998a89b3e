/** What the completion of every shell needs of the table of commands. */

import { PROVIDERS } from "../../models/providers.ts";
import { COMMANDS, type CommandRow } from "../../project/config/command-table.ts";
import { type OptionRow, RUN_OPTIONS } from "../../project/config/option-table.ts";

/** Both names of the program. */
export const PROGRAMS = ["agent", "agentree"];

export const SHOWN_COMMANDS: readonly CommandRow[] = COMMANDS.filter(({ group }) => group !== undefined);

export const COMMAND_WORDS: readonly string[] = [...SHOWN_COMMANDS.map(({ word }) => word), "help"];

/** The values that an option may have: a list, or what each shell has a word of its own for. */
export type OfferedValues = readonly string[] | "directories" | "files" | "runs" | "roles" | undefined;

/** The models are those that their providers name; `script:FILE` is offered without the file. */
export function offeredValues({ values }: OptionRow): OfferedValues {
	if (values !== "models") return values;
	return PROVIDERS.flatMap(({ names }) => names.map((name) => name.replace(/[A-Z]+$/, "")));
}

/** The options of a command; without a command's word the line is one of `agent run`. */
export function shownOptions(row: CommandRow | undefined): readonly OptionRow[] {
	return (row?.options ?? RUN_OPTIONS).filter(({ isHidden }) => isHidden !== true);
}

/** The options of all commands, each flag once: it means the same in every command that has it. */
export function allOptions(): readonly OptionRow[] {
	const rows = COMMANDS.flatMap(({ options }) => options);
	return [...new Map(rows.map((row) => [row.flag, row])).values()];
}

/** True for a command whose argument names a run, or an agent of a run. */
export function takesRuns({ arguments: [first = ""] }: CommandRow): boolean {
	return /^.(run|ref)(\.\.\.)?.$/.test(first);
}

/** `--model`, and `-m`. */
export function spellings({ flag, short }: OptionRow): string[] {
	return [`--${flag}`, ...(short === undefined ? [] : [`-${short}`])];
}

/** A shell's command that lists the runs, the newest first. */
export const LIST_RUNS =
	'command ls -1r "$' + "{AGENTREE_HOME:-$" + '{XDG_STATE_HOME:-$HOME/.local/state}/agentree}/runs" 2>/dev/null';

/** A shell's command that lists the roles that an agent may have here: those of files first. The name is one that no other vendor has. */
export const LIST_ROLES = "command agentree completion roles 2>/dev/null";
