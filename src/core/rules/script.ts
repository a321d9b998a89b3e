/** What a shell script does, as far as it can be read without running it. */
import { preview } from "../preview.ts";
import { ANY } from "./pattern.ts";

/** What a here-document or `<<<` gives a command to read; text as it is written. */
export interface Input {
	text?: string;
	/** Bash expands the text before. */
	isExpanded?: boolean;
}

export interface Assigned {
	readonly name: string;
	/** `A=x`, without quotes. */
	readonly text: string;
	/** With them. */
	readonly written: string;
}

export interface SimpleCommand {
	/** Without quotes; what is known only when it runs is `ANY`. Empty: a redirection alone. */
	readonly words: readonly string[];
	/** Variables that are set for it. */
	readonly assigned: readonly Assigned[];
	/** Where its output goes into files, as it is written: `> log`; "" for nowhere. */
	readonly writes: string;
	/** All of it, as it is written. */
	readonly written: string;
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

const MAX_SHOWN = 200;

/** A piece of it in one line, for people. */
export function shown(written: string): string {
	return preview(written.slice(0, 2 * MAX_SHOWN).replaceAll(ANY, "…"), MAX_SHOWN);
}
