/**
 * Reads a script of bash for its simple commands, wherever they stand: in lists, pipes, subshells, substitutions, loops, branches and bodies of
 * functions. Quotes are removed, and what bash would expand is `ANY`. The reader may find a command where bash sees none, but it overlooks none
 * without a word: `unread` says what it does not follow, such as arithmetic, or syntax in which versions of bash differ. Pure.
 */
import { preview } from "../preview.ts";
import { ANY } from "./rule.ts";

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
	/** What a here-document or `<<<` gives it to read; its text is known when all of the script is read. */
	readonly input: { text?: string };
}

export interface Script {
	readonly commands: readonly SimpleCommand[];
	/** Why not all of it can be read. */
	readonly unread?: string | undefined;
}

interface Word {
	readonly text: string;
	/** Nothing of it was quoted or expanded: it may be a word of the shell's own. */
	readonly isBare: boolean;
}

interface HereDocument {
	/** The line that ends it. */
	readonly end: string;
	/** Its text is not expanded. */
	readonly isQuoted: boolean;
	readonly stripsTabs: boolean;
	/** Of the command that reads it. */
	readonly input: { text?: string };
}

/** What cannot be read on from; it is the reason. */
class Unreadable extends Error {}

const MAX_DEPTH = 20;
const MAX_COMMANDS = 300;
const MAX_SHOWN = 200;
/** Files to which output may always go. */
const NOWHERE = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);
/** Words before which, or behind which, a command begins. */
const AROUND = new Set("if then elif else while until do ! { time fi done } case esac coproc function".split(" "));
/** Computing with numbers alone, behind its dollar; with names it may run commands that their values hold. */
const NUMBERS = /\(\([\d \t+*/%<>=!&|^~?:,-]*\)\)/y;
/** A parameter in braces whose expansion runs nothing: `{x}`, `{x:-a}`, `{#x}`, `{x[0]}`, `{x:1:2}`. */
const PARAMETER =
	/\{[#!]?(?:\w+|[@*#?$!-])(?:\[[\d@*]+\])?(?::\d+(?::\d+)?|(?::?[-+=?]|[%#^,/])[^{}$`'"\\;&|<>()]*)?\}/y;
/** A name with an index that runs something when a builtin computes it, although it was quoted: `unset 'a[$(date)]'`. */
export const RUNS_IN_BRACKETS = /\w\[.*(?:\$\(|`)/s;
/** `a=`, `a+=`, `a[1]=`; the index is a part of the word, whatever it has: `a[ #x]=`, `a[1<<2]=`. */
const ASSIGNMENT = /[A-Za-z_]\w*(?:\[[^\][$`'"\\\n]*\])?\+?=/y;
/** Variables by which a program becomes another, or runs another. */
const CHANGES_PROGRAMS =
	/^(?:HOME|PATH|ENV|BASH_ENV|IFS|CDPATH|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|PROMPT_COMMAND|PS[0-4]|LD_\w+|DYLD_\w+|GIT_(?!TERMINAL_PROMPT$)\w+|(?:\w*_)?(?:EDITOR|PAGER|SHELL|COMMAND|BROWSER|ASKPASS|WRAPPER)|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL\w+|RUBY\w+|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|npm_config_\w+|NPM_CONFIG_\w+|RUSTC\w*|CARGO_\w+|MAKEFLAGS|MAKEFILES|CC|CXX|AGENTREE_\w+)$/;

export function readScript(script: string, depth = 0): Script {
	const reader = new ScriptReader(script, depth);
	reader.read(() => reader.list(false));
	return reader;
}

/** A piece of a script in one line, for people. */
export function shown(written: string): string {
	return preview(written.slice(0, 2 * MAX_SHOWN).replaceAll(ANY, "…"), MAX_SHOWN);
}

class ScriptReader {
	readonly commands: SimpleCommand[] = [];
	unread: string | undefined;
	private readonly text: string;
	private at = 0;
	private depth: number;
	/** Where the command begins that is being read. */
	private start = 0;
	/** How many cases are open in the list that is being read. */
	private cases = 0;
	/** Those that begin behind the end of this line. */
	private hereDocuments: HereDocument[] = [];

	constructor(text: string, depth: number) {
		this.text = text;
		this.depth = depth;
	}

	read(read: () => void): void {
		try {
			read();
		} catch (error) {
			if (!(error instanceof Unreadable)) throw error;
			this.notRead(error.message);
		}
	}

	/** Commands up to the end of the script, or up to a closing parenthesis, which is gone past. */
	list(isInParentheses: boolean): void {
		const { start, cases } = this;
		if (isInParentheses) this.requireNoHereDocument();
		this.cases = 0;
		this.deeper(() => {
			for (this.gap(); !this.isOver || isInParentheses; this.gap()) {
				if (this.isOver) throw new Unreadable("a parenthesis is never closed");
				if (this.take(")")) {
					this.requireNoHereDocument();
					if (this.cases > 0) continue; // behind a pattern
					if (isInParentheses) return;
					throw new Unreadable("a closing parenthesis without an opening one");
				}
				if (this.match(/;;&|;;|;&|&&|\|\||\|&|[;|]|&(?!>)/y) === "") this.command();
			}
		});
		this.start = start;
		this.cases = cases;
	}

	/** Expansions in a text that is otherwise no script, as in a here-document. */
	expansions(): void {
		for (this.match(/[^$`\\]+/y); !this.isOver; this.match(/[^$`\\]+/y)) {
			if (this.take("\\")) this.at += 1;
			else this.expansion(true);
		}
	}

	/** One command, or a word of the shell before or behind one. */
	private command(): void {
		const start = this.at;
		this.start = start;
		if (this.startsWith("((")) this.notRead("arithmetic");
		if (this.take("(")) return this.list(true);
		const word = this.match(/(?:[a-z]+|\[\[|[{}!])(?=$|[ \t\n;&|<>()]|\\\n)/y);
		if (this.isOfShell(word)) return;
		this.at = start;
		this.simple();
	}

	/** True for a word of the shell itself; what belongs to that is gone past. */
	private isOfShell(word: string): boolean {
		if (word === "for" || word === "select") this.loopHead();
		else if (word === "[[") this.test();
		else if (AROUND.has(word)) {
			if (word === "time") this.match(/[ \t]+(?:-p|--)(?=[ \t\n])/y);
			if (word === "coproc") this.match(/[ \t]+[A-Za-z_]\w*(?=[ \t]+[{(])/y); // its name
			if (word === "function") this.match(/[ \t]+[^ \t\n;&|<>()]+(?:[ \t]*\([ \t]*\))?/y);
			if (word === "case") {
				this.notRead("a case");
				this.gap();
				this.someWord();
				this.gap();
				this.match(/in(?=[ \t\n])/y);
				this.cases += 1;
			}
			if (word === "esac") this.cases = Math.max(0, this.cases - 1);
		} else return false;
		return true;
	}

	/** `for x in words`, up to the end of its line, or past the `do` behind the name. */
	private loopHead(): void {
		const name = this.match(/(?:[ \t]|\\\n)+\w+/y).trim();
		if (CHANGES_PROGRAMS.test(name)) this.notRead(`a loop that sets ${name}`);
		if (name !== "" && this.match(/(?:[ \t]|\\\n)+(?:do|\{)(?=[ \t\n])/y) === "")
			for (this.blanks(); !this.isOver && !/[\n;]/.test(this.peek()); this.blanks()) this.someWord();
	}

	private test(): void {
		for (this.gap(); !this.isOver; this.gap()) {
			if (/[()<>&|;]/.test(this.peek()) && !/^[<>]\(/.test(this.text.slice(this.at, this.at + 2))) this.at += 1;
			else {
				const { text, isBare } = this.someWord();
				if (isBare && text === "]]") return;
				if (RUNS_IN_BRACKETS.test(text)) this.notRead("arithmetic");
			}
		}
		throw new Unreadable("[[ is never closed");
	}

	private simple(): void {
		const words: string[] = [];
		const assigned: Assigned[] = [];
		const writes: string[] = [];
		let input = {};
		const start = this.at;
		for (this.blanks(); !this.isOver; this.blanks()) {
			const { at } = this;
			const redirection = this.match(/(?:\d+|\{[A-Za-z_]\w*\})?(?:&>>?|<<<|<<-?|<&|>&|<>|>>|>\||[<>](?!\())/y);
			if (redirection !== "") {
				const from = {};
				if (/^0*</.test(redirection)) input = from; // the last one counts
				if (this.redirection(redirection.replace(/^(?:\d+|\{\w*\})/, ""), from))
					writes.push(this.text.slice(at, this.at));
				continue;
			}
			if (/[\n;&|)]/.test(this.peek())) break;
			if (this.take("(")) {
				// behind the name of a function, whose body is read as commands
				if (words.length !== 1 || this.match(/[ \t]*\)/y) === "")
					throw new Unreadable("a parenthesis within a command");
				return;
			}
			const name = words.length === 0 ? this.match(ASSIGNMENT) : "";
			if (/\[(?!\d+\])/.test(name)) this.notRead("arithmetic");
			const text = name + this.word().text;
			if (text.endsWith("=") && this.take("(")) this.array();
			if (name === "") words.push(text);
			else assigned.push({ name: /^\w+/.exec(name)?.[0] ?? "", text, written: this.text.slice(at, this.at) });
		}
		if (this.cases > 0 && this.peek() === ")") return; // a pattern
		const runsNothing = words.length === 0 && writes.length === 0;
		if (runsNothing && !assigned.some(({ name }) => CHANGES_PROGRAMS.test(name))) return;
		if (this.commands.length >= MAX_COMMANDS) throw new Unreadable(`more than ${MAX_COMMANDS} commands`);
		const written = this.text.slice(start, this.at).trim();
		this.commands.push({ words, assigned, writes: writes.join(" "), written, input });
	}

	private array(): void {
		this.requireNoHereDocument();
		for (this.gap(); !this.take(")"); this.gap()) {
			if (this.isOver) throw new Unreadable("a parenthesis is never closed");
			this.someWord();
		}
	}

	/** True when it writes a file. */
	private redirection(operator: string, input: { text?: string }): boolean {
		this.blanks();
		if (operator === "<<" || operator === "<<-") {
			const end = this.match(/'[^'\n\t]*'|"[^"$`\\\n\t]*"|\\?[^ \t\n;&|<>()'"\\$`]+/y);
			if (end === "" || !/^$|[ \t\n;&|<>()]/.test(this.peek()))
				throw new Unreadable("a here-document end word that is not plain text");
			const isQuoted = /^['"\\]/.test(end);
			const bare = end.replace(/^\\|^(['"])(.*)\1$/, "$2");
			this.hereDocuments.push({ end: bare, isQuoted, stripsTabs: operator === "<<-", input });
			return false;
		}
		const { text } = this.someWord();
		if (operator === "<<<") input.text = text;
		if (!/[>]/.test(operator) || (operator === ">&" && /^(?:\d+|-)-?$/.test(text))) return false;
		return !NOWHERE.has(text);
	}

	/** The word that begins here, or the reason why none does. */
	private someWord(): Word {
		const start = this.at;
		const word = this.word();
		if (this.at === start) throw new Unreadable(`"${this.peek()}" where a word is expected`);
		return word;
	}

	/** The word that begins here; empty when none does. */
	private word(): Word {
		let text = this.match(/\[\[?(?=[ \t\n])|\{(?=[ \t\n])/y);
		let isBare = true;
		/** Where braces begin that may make several words of it. */
		let braces: number | undefined;
		for (;;) {
			text += this.match(/(?:[^ \t\n;&|<>()\\'"$`*?[{]|\{\})+/y);
			const char = this.peek();
			if (/^$|[ \t\n;&|()]/.test(char) || (/[<>]/.test(char) && this.peek(1) !== "(")) break;
			if (this.take("\\\n")) this.notRead("a word across lines");
			else if (this.take("{")) braces ??= text.length;
			else {
				isBare = false;
				text += this.quotedOrExpanded();
			}
		}
		return braces === undefined ? { text, isBare } : { text: text.slice(0, braces) + ANY, isBare: false };
	}

	private quotedOrExpanded(): string {
		if (/[$`]/.test(this.peek())) return this.expansion(false);
		const char = this.next();
		if (char === "\\") return this.next();
		if (char === '"') return this.double();
		if (char !== "'") {
			if (this.take("(")) this.list(true); // `<(...)`
			return ANY;
		}
		const end = this.text.indexOf("'", this.at);
		if (end < 0) throw new Unreadable("a quote is never closed");
		const text = this.text.slice(this.at, end);
		this.at = end + 1;
		return text;
	}

	/** Behind the opening quote. */
	private double(): string {
		for (let text = ""; ; ) {
			text += this.match(/(?:[^"$`\\]|\\[^$`"\\\n])+/y);
			if (this.isOver) throw new Unreadable("a quote is never closed");
			if (this.take('"')) return text;
			if (!this.take("\\\n")) text += this.take("\\") ? this.next() : this.expansion(true);
		}
	}

	/** What begins with a dollar or a backtick; within double quotes, or in a here-document, `isQuoted`. */
	private expansion(isQuoted: boolean): string {
		if (this.take("`")) {
			const script = this.match(/(?:[^`\\]|\\.)*`/sy);
			if (script === "") throw new Unreadable("a backtick is never closed");
			this.add(
				readScript(script.slice(0, -1).replace(isQuoted ? /\\([\\`$"])/g : /\\([\\`$])/g, "$1"), this.depth + 1),
			);
			return ANY;
		}
		this.at += 1;
		if (!isQuoted && this.take('"')) return this.double();
		if (!isQuoted && this.take("'")) {
			const text = this.match(/(?:[^'\\]|\\.)*'/sy);
			if (text === "") throw new Unreadable("a quote is never closed");
			return unescaped(text.slice(0, -1));
		}
		if (this.match(NUMBERS) !== "" || this.match(/[A-Za-z_]\w*|[0-9@*#?!$-]/y) !== "") return ANY;
		if (this.startsWith("((") || this.startsWith("[")) this.notRead("arithmetic");
		if (this.take("(")) this.list(true);
		else if (this.peek() !== "{") return "$";
		else if (this.match(PARAMETER) === "") {
			this.at += 1;
			this.notRead("an expansion");
		}
		return ANY;
	}

	private add({ commands, unread }: Script): void {
		this.commands.push(...commands);
		this.unread ??= unread;
	}

	/** Goes past blanks, comments and ends of lines. */
	private gap(): void {
		for (this.blanks(); this.take("\n"); this.blanks())
			for (const document of this.hereDocuments.splice(0)) this.hereDocument(document);
	}

	/** Before a word, where a comment may begin. */
	private blanks(): void {
		this.match(/(?:[ \t]|\\\n)*(?:#[^\n]*)?/y);
	}

	private hereDocument({ end, isQuoted, stripsTabs, input }: HereDocument): void {
		const lines: string[] = [];
		while (!this.isOver) {
			const line = this.match(/[^\n]*/y).replace(stripsTabs ? /^\t+/ : /^/, "");
			this.take("\n");
			if (line === end) break;
			if (line.startsWith(end) && line.includes(")")) this.notRead("a here-document with words after its end word");
			if (!isQuoted && line.endsWith("\\")) this.notRead("a here-document with a continued line");
			lines.push(line);
		}
		const text = lines.join("\n");
		input.text = !isQuoted && /[$`\\]/.test(text) ? ANY : text;
		if (isQuoted) return;
		const reader = new ScriptReader(text, this.depth);
		reader.read(() => reader.expansions());
		this.add(reader);
	}

	/** Versions of bash differ in where one stands that begins before a parenthesis, and ends behind it. */
	private requireNoHereDocument(): void {
		if (this.hereDocuments.splice(0).length > 0) this.notRead("a here-document across a parenthesis");
	}

	private deeper(read: () => void): void {
		if (++this.depth > MAX_DEPTH) throw new Unreadable("commands nested too deeply");
		read();
		this.depth -= 1;
	}

	private notRead(reason: string): void {
		this.unread ??= `${reason}: ${shown(this.text.slice(this.start))}`;
	}

	private get isOver(): boolean {
		return this.at >= this.text.length;
	}

	/** "" at the end. */
	private peek(ahead = 0): string {
		return this.text[this.at + ahead] ?? "";
	}

	private next(): string {
		const char = this.peek();
		this.at += 1;
		return char;
	}

	private startsWith(text: string): boolean {
		return this.text.startsWith(text, this.at);
	}

	/** Goes past the text if it stands here. */
	private take(text: string): boolean {
		if (!this.startsWith(text)) return false;
		this.at += text.length;
		return true;
	}

	/** What matches here, which is gone past; "" for nothing. `pattern` is sticky. */
	private match(pattern: RegExp): string {
		pattern.lastIndex = this.at;
		const [found = ""] = pattern.exec(this.text) ?? [];
		this.at += found.length;
		return found;
	}
}

const ESCAPED = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|(.))/gs;
const LETTERS: Readonly<Record<string, string>> = {
	n: "\n",
	t: "\t",
	r: "\r",
	"\\": "\\",
	"'": "'",
	'"': '"',
	"?": "?",
};

/** The text of `$'...'`; `ANY` where it is not plain ASCII. */
function unescaped(quoted: string): string {
	const text = quoted.replace(ESCAPED, (_, x?: string, u?: string, long?: string, octal?: string, letter?: string) => {
		const hex = x ?? u ?? long;
		if (hex === undefined && octal === undefined) return LETTERS[letter ?? ""] ?? ANY;
		const code = hex === undefined ? Number.parseInt(octal ?? "", 8) & 0xff : Number.parseInt(hex, 16);
		return code === 0 || code > 0x7e ? ANY : String.fromCharCode(code);
	});
	return text.includes(ANY) ? ANY : text;
}
