/**
 * `--worktree` takes a name, and needs none: `agent --worktree "fix the bug"`, `agent --worktree parser "fix the bug"`. What follows it
 * is its name where another word is the task; `--worktree=NAME` is always one.
 */
import { parseArgs } from "node:util";
import { COMMANDS } from "../config/command-table.ts";
import { isCommandWord } from "../config/command-words.ts";
import { WORKTREE_OPTION } from "../config/option-table.ts";
import { defined } from "../core/defined.ts";

const OPTION = `--${WORKTREE_OPTION.flag}`;

/** The arguments in which nothing but a name follows the option. */
export function withWorktreeNamed(args: readonly string[]): string[] {
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
