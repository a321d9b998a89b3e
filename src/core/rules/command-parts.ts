/**
 * The parts of a command that rules are asked about: its simple commands, and what those run in their turn, as `timeout 5 npm test`,
 * `bash -c "..."`, `find -exec` and `xargs` do. Pure.
 */
import { ANY } from "./pattern.ts";
import { readScript } from "./read-script.ts";
import type { SimpleCommand } from "./script.ts";
import { withoutOptions } from "./subcommand.ts";
import { ofXargs, programOf, unwrapped } from "./wrappers.ts";

export interface Part {
	readonly words: readonly string[];
	/** In one line, as rules that allow see it. */
	readonly text: string;
	/** As rules that ask or deny see it, too: by the plain name of the program, without options before what it is to do. */
	readonly plainText: string;
	readonly assigned: readonly string[];
	readonly writesFile: boolean;
	/** The subshell of its script in which it runs. */
	readonly scope: string;
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

const SHELLS = new Set(["bash", "sh", "dash", "zsh", "ksh", "ash", "rbash"]);
const MAX_DEPTH = 10;
const MAX_TEXT = 4_000;

export function commandParts(command: string): CommandParts {
	const reader = new PartReader();
	const parts = reader.ofScript(command, 0);
	return { parts, ...(reader.unread !== undefined && { unread: reader.unread }) };
}

class PartReader {
	unread: string | undefined;

	ofScript(text: string, depth: number): Part[] {
		const script = readScript(text, depth);
		this.unread ??= script.unread;
		return script.commands.flatMap((command) => this.ofCommand(command, depth));
	}

	private ofCommand(command: SimpleCommand, depth: number): Part[] {
		const { words } = command;
		if (depth > MAX_DEPTH) {
			this.unread ??= "commands within commands, too deep";
			return [partOf(command)];
		}
		if (words[0]?.includes(ANY)) this.unread ??= "the name of a program that is known only when it runs";
		const script = this.scriptOf(words);
		if (script !== undefined) return [partOf(command, this.ofScript(script, depth + 1))];
		const inXargs = ofXargs(words);
		if (inXargs !== undefined && inXargs.length > 0)
			return [partOf(command, this.ofWords(xargsWords(words, inXargs), { assigned: [], depth }))];
		const wrapped = unwrapped(words);
		if (wrapped !== undefined && wrapped.words.length > 0) {
			const { assigned, widens } = wrapped;
			return [partOf(command, this.ofWords(wrapped.words, { assigned, depth }), widens)];
		}
		return [partOf(command), ...this.ofFind(words, depth)];
	}

	private ofWords(
		words: readonly string[],
		{ assigned, depth }: { assigned: readonly string[]; depth: number },
	): Part[] {
		return this.ofCommand({ words, assigned, writesFile: false, scope: "" }, depth + 1);
	}

	/** Commands that are given as one text; undefined: the words give none. */
	private scriptOf(words: readonly string[]): string | undefined {
		const [first = "", ...rest] = words;
		const name = programOf(first);
		if (name === "eval") return this.known(rest.filter((word) => word !== "--").join(" "));
		if (name === "trap") return this.known(rest.find((word) => !word.startsWith("-")) ?? "");
		if (name === "su" || name === "runuser" || name === "script") return this.behindOption(rest, /^(?:-c|--command)$/);
		if (name === "env") return this.behindOption(rest, /^(?:-S|--split-string)$/);
		if (name === "." || name === "source") return this.requireFile(rest[0] ?? ANY);
		if (!SHELLS.has(name)) return undefined;
		const script = this.behindOption(rest, /^-[A-Za-z]*c[A-Za-z]*$/);
		if (script === undefined) this.requireFile(rest.find((word) => !/^[-+]/.test(word)) ?? ANY);
		return script;
	}

	private behindOption(words: readonly string[], option: RegExp): string | undefined {
		const at = words.findIndex((word) => option.test(word));
		if (at < 0) return undefined;
		const script = words.slice(at + 1).find((word) => !word.startsWith("-"));
		return this.known(script ?? "");
	}

	private known(script: string): string {
		if (script.includes(ANY)) this.unread ??= "commands that are known only when it runs";
		return script;
	}

	/** A shell without a file reads commands from its input. */
	private requireFile(file: string): undefined {
		if (file.includes(ANY) || file.startsWith("/dev/") || file === "-")
			this.unread ??= "commands that a shell reads from its input";
	}

	private ofFind(words: readonly string[], depth: number): Part[] {
		if (programOf(words[0] ?? "") !== "find") return [];
		return words.flatMap((word, at) => {
			if (!/^-(?:exec|execdir|ok|okdir)$/.test(word)) return [];
			const behind = words.slice(at + 1);
			const end = behind.findIndex((other) => other === ";" || other === "+");
			const found = behind.slice(0, end < 0 ? undefined : end).map((other) => other.replaceAll("{}", ANY));
			return found.length === 0 ? [] : this.ofWords(found, { assigned: [], depth });
		});
	}
}

/** The part, and what it runs. */
export function withInner(part: Part): Part[] {
	return [part, ...part.inner.flatMap(withInner)];
}

/** What xargs reads comes at the end, or in the place of a word that an option names. */
function xargsWords(words: readonly string[], inner: readonly string[]): string[] {
	const option = words.find((word) => /^-I/.test(word));
	const placeholder = option === "-I" ? (words[words.indexOf("-I") + 1] ?? "{}") : option?.slice(2);
	if (placeholder === undefined || placeholder === "") return [...inner, ANY];
	return inner.map((word) => word.replaceAll(placeholder, ANY));
}

function partOf(command: SimpleCommand, inner: readonly Part[] = [], widens = false): Part {
	const { words } = command;
	return { ...command, text: textOf(words), plainText: textOf(withoutOptions(words)), inner, widens };
}

/** What is cut off a very long command is unknown. */
function textOf(words: readonly string[]): string {
	const text = words.join(" ");
	return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}${ANY}` : text;
}

/** The text where a word that is not known may also be none. */
export function looseText(text: string): string {
	return text.replaceAll(new RegExp(` ?${ANY} ?`, "g"), ANY);
}
