/** What a shell script does, as far as it can be read without running it. */

/** What a here-document or `<<<` gives a command to read; text as it is written. */
export interface Input {
	text?: string;
	/** Bash expands the text before. */
	isExpanded?: boolean;
}

export interface SimpleCommand {
	/** Without quotes; what is known only when it runs is `ANY`. Empty: a redirection alone. */
	readonly words: readonly string[];
	/** Names of variables that are set for it. */
	readonly assigned: readonly string[];
	/** Its output goes into a file. */
	readonly writesFile: boolean;
	/** Known when all of the script is read. */
	readonly input: Input;
	/** The subshell in which it runs: `/1/3` is one in `/1`; the script itself is "". */
	readonly scope: string;
}

export interface Script {
	readonly commands: readonly SimpleCommand[];
	/** Why not all of it can be read. */
	readonly unread?: string;
}
