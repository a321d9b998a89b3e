/** The command line as people type it, put into the form that the parser reads. Pure. */
import { parseArgs } from "node:util";
import { withWordFirst } from "../agent/start/child-args.ts";
import { defined } from "../core/defined.ts";
import { AgentreeError } from "../core/errors.ts";
import { CHAT_OPTIONS, COMMANDS } from "../project/config/command-table.ts";
import { FORMER_WORDS, isCommandWord, TABLE_WORDS } from "../project/config/command-words.ts";
import { type OptionRow, WORKTREE_OPTION } from "../project/config/option-table.ts";
import { nearestName } from "../text/nearest-name.ts";

export interface Terminals {
	/** The process can chat with a user. */
	readonly hasTerminal: boolean;
	readonly isStdinTTY: boolean;
}

/** The command's word first, under its present name; then options; a task that begins with a dash behind `--`. Throws AgentreeError("usage"). */
export function normalizeArgs(args: readonly string[], terminals: Terminals): string[] {
	const named = withFormerWord(withWordFirst(args));
	return withDefaultCommand(withDashedTaskLast(withWorktreeNamed(named)), terminals);
}

/** Former commands, by what does the same now: `kill 1.2` → `stop --now 1.2`. */
function withFormerWord(args: readonly string[]): string[] {
	const [word, ...rest] = args;
	if (word === "help") return [word, ...withFormerWord(rest).slice(0, 1)];
	switch (FORMER_WORDS.find((former) => former === word)) {
		case undefined:
			return [...args];
		case "talk":
			return ["chat", ...rest];
		case "kill":
			return ["stop", "--now", ...rest];
		case "name":
			return ["ls", ...(rest.some(isHelp) ? ["--help"] : namingArgs(rest.filter((arg) => arg !== "--")))];
	}
}

function isHelp(arg: string): boolean {
	return arg === "-h" || arg === "--help";
}

/** `name NAME`, `name RUN NAME`. */
function namingArgs(args: readonly string[]): string[] {
	const name = args.at(-1);
	return name === undefined ? ["--name"] : [`--name=${name}`, ...args.slice(0, -1)];
}

/** `agent "task"` → `agent run "task"`; `agent` on a terminal → `agent chat`. A single word that is not a command is an error: it is probably a typo. */
function withDefaultCommand(args: readonly string[], { hasTerminal, isStdinTTY }: Terminals): string[] {
	if (hasTerminal && isChatLine(args)) return ["chat", ...args];
	const first = args.find((arg) => !arg.startsWith("-"));
	const isHelp = args.some((arg) => ["-h", "--help", "-V", "--version"].includes(arg));
	if (first === undefined && (isHelp || (args.length === 0 && isStdinTTY)))
		return args.length === 0 ? ["help"] : [...args];
	if (isCommandWord(args[0])) return [...args];
	if (first !== undefined && first === args[0] && isMistyped(first, args.slice(1))) {
		const nearest = nearestName(first, TABLE_WORDS);
		const meant = nearest === undefined ? "if" : `did you mean agent ${nearest}? If`;
		const asTask = `it is a task: agent run "${args.join(" ")}"`;
		throw new AgentreeError("usage", `unknown command "${first}"; ${meant} ${asTask}; see agent --help`);
	}
	return ["run", ...args];
}

/** True for a lone word, and for a word with more words behind it: a task of several words would be in quotes. */
function isMistyped(first: string, rest: readonly string[]): boolean {
	return /^[a-z][a-z-]*$/i.test(first) && !rest.some((arg) => arg.startsWith("-"));
}

/** `agent`, `agent -m opus`, `agent -c`: only options of a conversation. */
function isChatLine(args: readonly string[]): boolean {
	const options = parserOptions(CHAT_OPTIONS);
	const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
	return tokens.every((token) => token.kind === "option" && Object.hasOwn(options, token.name));
}

function parserOptions(rows: readonly OptionRow[]) {
	return Object.fromEntries(
		rows.map(({ flag, short, value }) => [
			flag,
			{ type: value === undefined ? ("boolean" as const) : ("string" as const), ...defined({ short }) },
		]),
	);
}

/** The options of the command that stands first, else of `run`, which needs no word. */
function optionsOf(word: string | undefined): readonly OptionRow[] {
	const command = isCommandWord(word) ? word : "run";
	return COMMANDS.find((row) => row.word === command)?.options ?? [];
}

/**
 * `--worktree` takes a name, and needs none: `agent --worktree "fix the bug"`, `agent --worktree parser "fix the bug"`. What follows it
 * is its name where another word is the task; `--worktree=NAME` is always one.
 */

const OPTION = `--${WORKTREE_OPTION.flag}`;

/** The arguments in which nothing but a name follows the option. */
function withWorktreeNamed(args: readonly string[]): string[] {
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
	const options = parserOptions(optionsOf(args[0]));
	const { positionals } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true });
	return positionals.slice(isCommandWord(args[0]) ? 1 : 0);
}

/*
 * Tasks that begin with a dash, as people write lists and quote options: `agent "- fix the bug"`, `agent "--help me with x"`.
 * An option's name has no white space, so such an argument is the task, unless it is, or contains, the value of an option.
 */

/**
 * The command's word, where it stands first, then the options, then `--` and the words. Arguments without such a task stay
 * as they are, for whoever says what is wrong with them.
 */
function withDashedTaskLast(args: readonly string[]): string[] {
	const withValue = optionsOf(args[0]).filter(({ value }) => value !== undefined);
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
