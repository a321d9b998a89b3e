/**
 * Tasks that begin with a dash, as people write lists and quote options: `agent "- fix the bug"`, `agent "--help me with x"`.
 * No option has white space in its name, so such an argument is the task, unless it is, or holds, the value of an option.
 */
import { isCommandWord } from "../config/command-words.ts";
import { RUN_OPTIONS } from "../config/option-table.ts";
import { SESSION_OPTIONS } from "../config/session-options.ts";

const OPTIONS = [...RUN_OPTIONS, ...SESSION_OPTIONS];

/**
 * The command's word, where it stands first, then the options, then `--` and the words. Arguments without such a task stay
 * as they are, for whoever says what is wrong with them.
 */
export function withDashedTaskLast(args: readonly string[]): string[] {
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
		else options.push(arg, ...(takesNext(arg) ? args.slice(++at, at + 1) : []));
	}
	return words.some(isDashedText) ? [...options, "--", ...words] : [...args];
}

function isDashedText(arg: string): boolean {
	return arg.startsWith("-") && /\s/.test(arg) && !holdsValue(arg);
}

/** `--system-prompt=be brief`, `-C/my files`: the word before the first white space is an option with the beginning of its value. */
function holdsValue(arg: string): boolean {
	const long = /^--([a-z-]+)=/.exec(arg)?.[1];
	if (long !== undefined) return OPTIONS.some(({ flag, value }) => flag === long && value !== undefined);
	const short = /^-([a-zA-Z])[^\p{L}\s]/u.exec(arg)?.[1];
	return short !== undefined && OPTIONS.some((row) => row.short === short && row.value !== undefined);
}

/** `--model`, `-m`, `-qm`: the next argument is its value. */
function takesNext(option: string): boolean {
	if (option.startsWith("--")) return OPTIONS.some(({ flag, value }) => `--${flag}` === option && value !== undefined);
	const letters = option.slice(1).split("");
	const at = letters.findIndex((letter) => OPTIONS.some((row) => row.short === letter && row.value !== undefined));
	return at >= 0 && at === letters.length - 1;
}
