/**
 * The parts of a command that rules are asked about: its simple commands, and what those run in their turn, as `timeout 5 npm test`,
 * `bash -c "..."`, `find -exec` and `xargs` do. Pure.
 */

import { afterOptions, ofXargs, programOf, takesNext, unwrapped, withoutOptions, withoutRunner } from "./programs.ts";
import { type Assigned, RUNS_IN_BRACKETS, readScript, type SimpleCommand, shown } from "./read-script.ts";
import { ANY } from "./rule.ts";

export interface Part {
	readonly words: readonly string[];
	/** In one line, as rules that allow see it. */
	readonly text: string;
	/** As rules that ask or deny see it, too: by the plain name of the program, without options before what it is to do, without what runs it, and with its variables. */
	readonly plainTexts: readonly string[];
	readonly assigned: readonly Assigned[];
	/** Where its output goes into files, as it is written; "" for nowhere. */
	readonly writes: string;
	/** All of it in one line, for people. */
	readonly shown: string;
	/** What it runs: it is allowed when all of them are. Empty: nothing. */
	readonly inner: readonly Part[];
	/** It may do more than `inner` by themselves. */
	readonly widens: boolean;
}

export interface CommandParts {
	readonly parts: readonly Part[];
	/** Why not all of the command can be read. */
	readonly unread?: string;
}

const SHELLS = new Set("bash sh dash zsh ksh ksh93 mksh ash rbash fish csh tcsh yash".split(" "));
/** What they do is bound to a name, or to something that happens later. */
const BINDING: Readonly<Record<string, RegExp>> = {
	alias: /=/,
	shopt: /^(?:expand_aliases|extglob)$/,
	hash: /^-\w*p/,
	enable: /^-\w*f/,
	mapfile: /^-\w*C/,
	readarray: /^-\w*C/,
	complete: /^-\w*C/,
	compgen: /^-\w*C/,
	bind: /^-\w*x/,
};
/** Builtins that compute what a word has in brackets. */
const COMPUTING = new Set("let test [ printf read unset declare typeset local export readonly".split(" "));
/** With an option they run a text in a shell. */
const WITH_SCRIPT = new Set(["su", "runuser", "script", "flock"]);
/** Their words, joined by this, are a text for a shell. */
const JOINED: ReadonlyMap<string, string> = new Map([
	...["watch", "parallel", "sem"].map((name) => [name, " "] as const),
	["hyperfine", "\n"],
]);
const VALUED_OF_SHELLS = ["-o", "-O", "--rcfile", "--init-file"];
const MAX_DEPTH = 10;
const MAX_PARTS = 600;
const MAX_COMMAND = 64 * 1024;
/** Of all scripts and commands within it together: what one runs is read again as its own. */
const MAX_READ = 4 * MAX_COMMAND;
const MAX_TEXT = 4_000;
/** How many words are shown at most. */
const MAX_WRITTEN = 100;

export function commandParts(command: string): CommandParts {
	if (command.length > MAX_COMMAND) return { parts: [], unread: "more than can be parsed" };
	const reader = new PartReader();
	const parts = reader.ofScript(command, 0);
	return { parts, ...(reader.unread !== undefined && { unread: reader.unread }) };
}

class PartReader {
	unread: string | undefined;
	private count = 0;
	private leftChars = MAX_READ;
	/** What is being read, as it is written. */
	private current = "";

	ofScript(text: string, depth: number): Part[] {
		if (!this.mayRead(text.length)) return [];
		const script = readScript(text, depth);
		this.unread ??= script.unread;
		return script.commands.flatMap((command) => this.ofCommand(command, depth));
	}

	private ofCommand(command: SimpleCommand, depth: number): Part[] {
		const { words } = command;
		this.count += 1;
		this.current = command.written;
		if (!this.mayRead(words.reduce((sum, word) => sum + word.length + 1, 0))) return [];
		if (depth > MAX_DEPTH) {
			this.notRead("commands nested too deeply");
			return [partOf(command)];
		}
		if (words[0]?.includes(ANY)) this.notRead("a program name known only at run time");
		this.requireUnbound(words);
		const script = this.scriptOf(command);
		if (script !== undefined)
			return [partOf(command, this.ofScript(script, depth + 1), unwrapped(words)?.widens === true)];
		const inXargs = ofXargs(words);
		if (inXargs !== undefined && inXargs.length > 0)
			return [partOf(command, this.ofWords(xargsWords(words, inXargs), { assigned: [], depth }))];
		const wrapped = unwrapped(words);
		if (wrapped !== undefined && wrapped.words.length > 0) {
			const { assigned, widens } = wrapped;
			return [partOf(command, this.ofWords(wrapped.words, { assigned, depth, input: command.input }), widens)];
		}
		return [partOf(command), ...this.ofFind(words, depth), ...this.ofGit(words, depth)];
	}

	private ofWords(
		words: readonly string[],
		{ assigned, depth, input = {} }: Pick<SimpleCommand, "assigned"> & Partial<SimpleCommand> & { depth: number },
	): Part[] {
		const text = [...assigned.map((one) => one.text), ...words.slice(0, MAX_WRITTEN)].join(" ");
		const written = text.includes(ANY) ? this.current : text;
		return this.ofCommand({ words, assigned, writes: "", written, input }, depth + 1);
	}

	private mayRead(chars: number): boolean {
		this.leftChars -= chars;
		const isTooMuch = this.count > MAX_PARTS || this.leftChars < 0;
		if (isTooMuch) this.notRead("more than can be parsed");
		return !isTooMuch;
	}

	private notRead(reason: string): void {
		this.unread ??= `${reason}: ${shown(this.current)}`;
	}

	/** Commands that the words hold as one text; undefined: they hold none. */
	private scriptOf({ words, input }: SimpleCommand): string | undefined {
		const [first = "", ...rest] = words;
		const name = programOf(first);
		if (name === "eval") return this.known(rest.filter((word) => word !== "--").join(" "));
		if (name === "trap") return this.known(rest.find((word) => !word.startsWith("-")) ?? "");
		const joint = JOINED.get(name);
		if (joint !== undefined) return this.known((unwrapped(words)?.words ?? []).join(joint));
		if (WITH_SCRIPT.has(name)) return this.behindOption(ownWords(words), /^(?:-[A-Za-z]*?c|--command(?:=|$))(.*)$/s);
		if (name === "env") return this.splitByEnv(words);
		if (name === "." || name === "source") return this.readBy(rest[0] ?? ANY, input);
		if (!SHELLS.has(name)) return undefined;
		const { options, operand } = wordsOfShell(rest);
		if (options.some((word) => /^-[A-Za-z]*c/.test(word))) return this.known(operand ?? "");
		return this.readBy(options.some((word) => /^-[A-Za-z]*s/.test(word)) ? ANY : (operand ?? ANY), input);
	}

	/** The commands that a shell reads from its input, if these are known; undefined: it reads the file. */
	private readBy(file: string, { text }: SimpleCommand["input"]): string | undefined {
		if (!file.includes(ANY) && !file.startsWith("/dev/")) return undefined;
		if (text === undefined || text.includes(ANY)) this.notRead("commands read from a shell's input");
		return text;
	}

	/** `env -S "git push" origin`, in which the text is split into words as a shell does it. */
	private splitByEnv(words: readonly string[]): string | undefined {
		const option = /^(?:-[A-RT-Za-z]*S|--split-string=?)(.*)$/s;
		const at = words.findIndex((word) => option.test(word));
		if (at < 0 || at > ownWords(words).length) return undefined;
		const attached = option.exec(words[at] ?? "")?.[1] ?? "";
		return this.known(["env", ...(attached === "" ? [] : [attached]), ...words.slice(at + 1)].join(" "));
	}

	private requireUnbound([first = "", ...rest]: readonly string[]): void {
		const option = Object.hasOwn(BINDING, first) ? BINDING[first] : undefined;
		if (option !== undefined && rest.some((word) => option.test(word)))
			this.notRead(`${first}, which changes what a name means`);
		if (first === "let" || (COMPUTING.has(first) && rest.some((word) => RUNS_IN_BRACKETS.test(word))))
			this.notRead("arithmetic");
		const hasAlias = rest.some((word, at) => word.startsWith("alias.") && rest[at - 1] === "-c");
		if (hasAlias && programOf(first) === "git") this.notRead("an alias");
	}

	private behindOption(words: readonly string[], option: RegExp): string | undefined {
		const at = words.findIndex((word) => option.test(word));
		if (at < 0) return undefined;
		const attached = option.exec(words[at] ?? "")?.[1] ?? "";
		const script = attached === "" ? words.slice(at + 1).find((word) => !word.startsWith("-")) : attached;
		return this.known(script ?? "");
	}

	private known(script: string): string {
		if (script.includes(ANY)) this.notRead("commands known only at run time");
		return script;
	}

	private ofFind(words: readonly string[], depth: number): Part[] {
		if (programOf(words[0] ?? "") !== "find") return [];
		return words.flatMap((word, at) => {
			if (!/^-(?:exec|execdir|ok|okdir)$/.test(word) || !this.mayRead(0)) return [];
			const behind = words.slice(at + 1);
			const end = behind.findIndex((other) => other === ";" || other === "+");
			const found = behind.slice(0, end < 0 ? undefined : end).map((other) => other.replaceAll("{}", ANY));
			return found.length === 0 ? [] : this.ofWords(found, { assigned: [], depth });
		});
	}

	private ofGit(words: readonly string[], depth: number): Part[] {
		return commandsOfGit(withoutOptions(words)).flatMap((run) =>
			typeof run === "string" ? this.ofScript(this.known(run), depth + 1) : this.ofWords(run, { assigned: [], depth }),
		);
	}
}

/** The words behind the program and before the command that it runs; all of them, if it runs none that is given as words. */
function ownWords(words: readonly string[]): readonly string[] {
	const command = unwrapped(words)?.words ?? [];
	const isLikeSu = programOf(words[0] ?? "") === "runuser" && !words.some((word) => /^(?:-[a-z]*u|--user)/.test(word));
	const givesCommand = command.length > 0 && !command[0]?.startsWith("-") && !isLikeSu;
	return words.slice(1, givesCommand ? words.length - command.length : undefined);
}

/** `operand`: the file that a shell reads, or with `-c` its commands. */
function wordsOfShell(words: readonly string[]): { options: readonly string[]; operand: string | undefined } {
	let at = 0;
	for (; /^[-+]/.test(words[at] ?? ""); at++) {
		const word = words[at] ?? "";
		if (word === "-" || word === "--") return { options: words.slice(0, at), operand: words[at + 1] };
		if (takesNext(word.replace(/^\+/, "-"), VALUED_OF_SHELLS)) at += 1;
	}
	return { options: words.slice(0, at), operand: words[at] };
}

/** The part, and what it runs. */
export function withInner(part: Part): Part[] {
	return [part, ...part.inner.flatMap(withInner)];
}

/** What xargs reads comes at the end, or in the place of a word that an option names. */
function xargsWords(words: readonly string[], inner: readonly string[]): string[] {
	const own = words.slice(0, words.length - inner.length);
	const option = own.find((word) => /^-[a-z0-9]*I/.test(word));
	const placeholder = option?.endsWith("I") ? own[own.indexOf(option) + 1] : option?.replace(/^.*?I/, "");
	if (placeholder === undefined || placeholder === "") return [...inner, ANY];
	return inner.map((word) => word.replaceAll(placeholder, ANY));
}

function partOf(command: SimpleCommand, inner: readonly Part[] = [], widens = false): Part {
	const text = textOf(command.words);
	const plain = withoutOptions(command.words);
	const program = withoutRunner(plain);
	const { assigned, written } = command;
	const withVariables = assigned.length === 0 ? [] : [[...assigned.map((one) => one.text), ...plain]];
	const plainTexts = [plain, ...(program === undefined ? [] : [withoutOptions(program)]), ...withVariables].map(textOf);
	return {
		...{ ...command, text, plainTexts: plainTexts.filter((one) => one !== text), inner, widens },
		shown: shown(written),
	};
}

/** What is cut off a very long command is unknown. */
function textOf(words: readonly string[]): string {
	const text = words.join(" ");
	return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}${ANY}` : text;
}

/** The text where a word that is not known may also be none. */
export function looseText(text: string): string {
	return text.replaceAll(LOOSE, ANY);
}

const LOOSE = new RegExp(` ?${ANY} ?`, "g");

/** Commands that a command of git runs in its turn, as `git rebase --exec` does. Pure. */

/** A text is one for a shell. `words`: `git` and what it is to do. */
function commandsOfGit(words: readonly string[]): readonly (string | readonly string[])[] {
	const [name, second, third] = words;
	const rest = words.slice(1 + afterOptions(words.slice(1), []));
	if (name !== "git") return [];
	switch (second) {
		case "submodule":
			return rest[0] === "foreach" ? shellText(rest.slice(afterOptions(rest, []))) : [];
		case "bisect":
			return third === "run" && words.length > 3 ? [words.slice(3)] : [];
		case "rebase":
			return behindOptions(words, /^(?:-[A-Za-z]*?x|--exec(?:=|$))(.*)$/s);
		case "filter-branch":
			return behindOptions(words, /^--[a-z]+-filter()$/);
		case "difftool":
			return behindOptions(words, /^(?:-[A-Za-z]*?x|--extcmd(?:=|$))(.*)$/s);
		default:
			return [];
	}
}

function shellText(words: readonly string[]): readonly string[] {
	return words.length === 0 ? [] : [words.join(" ")];
}

/** The values of the option, which stand in the same word or in the next one. */
function behindOptions(words: readonly string[], option: RegExp): readonly string[] {
	return words.flatMap((word, at) => {
		const [, attached] = option.exec(word) ?? [];
		return attached === undefined ? [] : [attached === "" ? (words[at + 1] ?? "") : attached];
	});
}
