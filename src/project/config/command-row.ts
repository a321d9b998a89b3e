/** A row of the table of commands. */
import type { CommandWord } from "./command-words.ts";
import type { OptionRow } from "./option-table.ts";

export interface CommandRow {
	readonly word: CommandWord;
	/** `<name>` is required, `[name]` is not, `[name...]` may stand several times. `[run]` and `[ref]` name runs and agents, which completion offers. */
	readonly arguments: readonly string[];
	readonly help: string;
	readonly options: readonly OptionRow[];
	/** The error for more arguments than the command takes; absent: the error says how many it takes. */
	readonly tooMany?: string;
	/** What its argument may be, for completion. */
	readonly values?: readonly string[];
	/** The command is for the program itself: help and completion do not show it. */
	readonly isHidden?: true;
}
