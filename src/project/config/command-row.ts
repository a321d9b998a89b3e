/** A row of the table of commands. */
import type { CommandWord } from "./command-words.ts";
import type { OptionRow } from "./option-table.ts";

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
