/**
 * Tasks that begin with a dash, as people write lists and quote options: `agent "- fix the bug"`, `agent "--help me with x"`.
 * No option has white space in its name, so such an argument is the task, unless it is, or holds, the value of an option.
 */
import { COMMANDS } from "../project/config/command-table.ts";
import { isCommandWord } from "../project/config/command-words.ts";
import type { OptionRow } from "../project/config/option-table.ts";

/**
 * The command's word, where it stands first, then the options, then `--` and the words. Arguments without such a task stay
 * as they are, for whoever says what is wrong with them.
 */
export function withDashedTaskLast(args: readonly string[]): string[] {
	const withValue = optionsWithValue(args[0]);
	const isDashedText = (arg: string) => arg.startsWith("-") && /\s/.test(arg) && !holdsValue(arg, withValue);
	if (!args.some(isDashedText)) return [...args];
	const options = isCommandWord(args[0]) ? args.slice(0, 1) : [];
	const words: string[] = [];
	for (let at = options.length; at < args.length; at++) {
		const arg = args[at] ?? "";
		if (arg === "--") {
			words.push(...args.slice(at + 1));
			break;
		}
		if (!arg.startsWith("-") || arg === "-" || isDashedText(arg)) words.push(arg);
		else options.push(arg, ...(takesNext(arg, withValue) ? args.slice(++at, at + 1) : []));
	}
	return words.some(isDashedText) ? [...options, "--", ...words] : [...args];
}

/** Those of the command that stands first, else of `run`, which needs no word. */
function optionsWithValue(word: string | undefined): OptionRow[] {
	const command = isCommandWord(word) ? word : "run";
	const row = COMMANDS.find((known) => known.word === command);
	return row?.options.filter(({ value }) => value !== undefined) ?? [];
}

/** `--system-prompt=be brief`, `-C/my files`: the word before the first white space is an option with the beginning of its value. */
function holdsValue(arg: string, withValue: readonly OptionRow[]): boolean {
	const long = /^--([a-z-]+)=/.exec(arg)?.[1];
	if (long !== undefined) return withValue.some(({ flag }) => flag === long);
	const short = /^-([a-zA-Z])[^\p{L}\s]/u.exec(arg)?.[1];
	return short !== undefined && withValue.some((row) => row.short === short);
}

/** `--model`, `-m`, `-qm`: the next argument is its value. */
function takesNext(option: string, withValue: readonly OptionRow[]): boolean {
	if (option.startsWith("--")) return withValue.some(({ flag }) => `--${flag}` === option);
	const letters = option.slice(1).split("");
	const takesValue = (letter: string) => withValue.some(({ short }) => short === letter);
	const at = letters.findIndex(takesValue);
	return at >= 0 && at === letters.length - 1;
}
