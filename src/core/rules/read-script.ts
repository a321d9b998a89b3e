/**
 * Reads a script of bash for its simple commands, wherever in it they stand: in lists, pipes, subshells, substitutions, loops, branches and
 * bodies of functions. It is tolerant: what bash would refuse may pass, but no command is overlooked. What cannot be read is said. Pure.
 */
import { Characters } from "./characters.ts";
import { HereDocuments } from "./here-documents.ts";
import { changesPrograms } from "./program-variables.ts";
import { AROUND, HEADS, NOWHERE } from "./reserved-words.ts";
import type { Input, Script, SimpleCommand } from "./script.ts";
import { assignedBy, isArrayStart, Unread, type Word, WordReader } from "./word-reader.ts";

const MAX_DEPTH = 20;
const MAX_COMMANDS = 300;
export function readScript(script: string, depth = 0): Script {
	const reader = new ScriptReader(script, depth, "");
	try {
		reader.list(false);
	} catch (error) {
		if (!(error instanceof Unread)) throw error;
		return { commands: reader.commands, unread: error.message };
	}
	return { commands: reader.commands };
}

class ScriptReader {
	readonly commands: SimpleCommand[] = [];
	private readonly source: Characters;
	private readonly words: WordReader;
	private depth: number;
	private scope: string;
	private scopes = 0;
	private readonly hereDocuments: HereDocuments;

	constructor(script: string, depth: number, scope: string) {
		this.source = new Characters(script);
		this.depth = depth;
		this.scope = scope;
		const onText = (text: string) => {
			const inner = readScript(text, this.depth + 1);
			const outer = this.newScope();
			this.commands.push(...inner.commands.map((command) => ({ ...command, scope: outer + command.scope })));
			if (inner.unread !== undefined) throw new Unread(inner.unread);
		};
		this.hereDocuments = new HereDocuments(this.source, (text) => this.expanded(text));
		this.words = new WordReader(this.source, { onCommands: () => this.list(true), onText });
	}

	/** Commands up to the end of the script, or up to a closing parenthesis, which is gone past. */
	list(isInParentheses: boolean): void {
		const { source } = this;
		if (isInParentheses) this.hereDocuments.requireNone();
		if (++this.depth > MAX_DEPTH) throw new Unread("commands within commands, too deep");
		const outer = this.scope;
		if (isInParentheses) this.scope = this.newScope();
		let cases = 0;
		while (!source.isOver) {
			source.match(/(?:[ \t]|\\\n)+/y);
			if (source.peek() === "#") source.match(/[^\n]*/y);
			else if (source.take("\n")) this.hereDocuments.read();
			else if (source.take(")")) {
				this.hereDocuments.requireNone();
				if (!isInParentheses) throw new Unread("a closing parenthesis without an opening one");
				this.scope = outer;
				this.depth -= 1;
				return;
			} else if (source.match(/;;&|;;|;&/y) !== "") {
				if (cases === 0) throw new Unread(";; outside of a case");
				if (this.casePattern()) cases -= 1;
			} else if (source.match(/&&|\|\||\|&|[;|]|&(?!>)/y) === "") {
				if (this.command() === "case" && !this.casePattern()) cases += 1;
			}
		}
		if (isInParentheses) throw new Unread("a parenthesis is never closed");
		this.depth -= 1;
	}

	private newScope(): string {
		this.scopes += 1;
		return `${this.scope}/${this.scopes}`;
	}

	/** One command, or a word of the shell before or behind one. */
	private command(): "case" | "other" {
		const { source } = this;
		if (source.startsWith("((")) {
			source.at += 2;
			if (this.words.arithmetic()) return "other";
			source.at -= 2;
		}
		if (source.take("(")) {
			this.list(true);
			return "other";
		}
		const start = source.at;
		const { text, isBare } = this.words.word();
		if (isBare && AROUND.has(text)) {
			if (text === "time") source.match(/[ \t]+(?:-p|--)(?=[ \t\n])/y);
			return "other";
		}
		if (isBare && HEADS.has(text)) return this.head();
		if (isBare && text === "function") return this.functionHead();
		if (isBare && text === "[[") return this.test();
		if (isBare && text === "case") return this.caseHead();
		if (isBare && text === "coproc") {
			source.match(/[ \t]+[A-Za-z_]\w*(?=[ \t]+[{(])/y); // its name
			return "other";
		}
		source.at = start;
		this.simple();
		return "other";
	}

	private simple(): void {
		const { source } = this;
		const words: string[] = [];
		const assigned: string[] = [];
		const input: Input = {};
		let writesFile = false;
		for (;;) {
			source.match(/(?:[ \t]|\\\n)+/y);
			if (source.peek() === "#") source.match(/[^\n]*/y);
			const redirection = source.match(/(?:\d+|\{[A-Za-z_]\w*\})?(?:&>>?|<<<|<<-?|<&|>&|<>|>>|>\||[<>](?!\())/y);
			if (redirection !== "") {
				writesFile = this.redirection(redirection.replace(/^(?:\d+|\{\w*\})/, ""), input) || writesFile;
				continue;
			}
			if (source.isOver || /[\n;&|)]/.test(source.peek())) break;
			if (source.take("(")) {
				this.parenthesis(words);
				return;
			}
			const word = this.words.word();
			const name = words.length === 0 ? assignedBy(word) : undefined;
			if (isArrayStart(word) && source.take("(")) this.array();
			if (name === undefined) words.push(...word.words);
			else assigned.push(name);
		}
		if (words.length === 0 && !writesFile && !assigned.some(changesPrograms)) return; // they run nothing
		if (this.commands.length >= MAX_COMMANDS) throw new Unread(`more than ${MAX_COMMANDS} commands`);
		this.commands.push({ words, assigned, writesFile, input, scope: this.scope });
	}

	/** Behind the name of a function, whose body is read as commands. */
	private parenthesis(words: readonly string[]): void {
		this.source.match(/[ \t\n]+/y);
		if (words.length !== 1 || !this.source.take(")")) throw new Unread("a parenthesis within a command");
	}

	private array(): void {
		const { source } = this;
		for (;;) {
			source.match(/[ \t\n]+/y);
			if (source.isOver) throw new Unread("a parenthesis is never closed");
			if (source.take(")")) return;
			if (source.peek() === "#") source.match(/[^\n]*/y);
			else this.someWord();
		}
	}

	/** True when it writes a file. */
	private redirection(operator: string, input: Input): boolean {
		const { source } = this;
		source.match(/(?:[ \t]|\\\n)+/y);
		const start = source.at;
		const { text, isBare } = this.words.word();
		if (source.at === start) throw new Unread("a redirection to nothing");
		if (operator === "<<" || operator === "<<-") {
			const end = source.text.slice(start, source.at);
			this.hereDocuments.add({ end, isQuoted: !isBare, stripsTabs: operator === "<<-", input });
			return false;
		}
		if (operator === "<<<") input.text = text;
		if (!/[>]/.test(operator)) return false;
		if (operator === ">&" && /^(?:\d+|-)-?$/.test(text)) return false;
		return !NOWHERE.has(text);
	}

	/** The commands of a here-document that is expanded. */
	private expanded(text: string): void {
		const inner = new ScriptReader(text, this.depth, this.newScope());
		inner.words.expansions();
		this.commands.push(...inner.commands);
	}

	/** `for x in words`, up to the `do` that ends it, or the end of its line. */
	private head(): "other" {
		const { source } = this;
		for (let count = 0; ; count++) {
			source.match(/(?:[ \t]|\\\n)+/y);
			if (source.peek() === "#") source.match(/[^\n]*/y);
			if (source.isOver || /[\n;]/.test(source.peek())) return "other";
			if (source.take("((")) {
				if (!this.words.arithmetic()) throw new Unread("a loop that cannot be read");
				continue;
			}
			const { text, isBare } = this.someWord();
			if (count === 0 && changesPrograms(text)) throw new Unread(`a loop that sets ${text}`);
			if (count === 1 && isBare && (text === "do" || text === "{")) return "other";
		}
	}

	private functionHead(): "other" {
		this.source.match(/[ \t]+/y);
		this.someWord();
		this.source.match(/[ \t]*\([ \t]*\)/y);
		return "other";
	}

	private test(): "other" {
		const { source } = this;
		for (;;) {
			source.match(/[ \t\n]+/y);
			if (source.isOver) throw new Unread("[[ is never closed");
			if (source.startsWith("<(") || source.startsWith(">(") || !/[()<>&|;]/.test(source.peek())) {
				const { text, isBare } = this.someWord();
				if (isBare && text === "]]") return "other";
			} else source.at += 1;
		}
	}

	private caseHead(): "case" {
		this.source.match(/[ \t\n]+/y);
		this.someWord();
		if (this.source.match(/[ \t\n]+in(?=[ \t\n])/y) === "") throw new Unread("a case without in");
		return "case";
	}

	/** The pattern of a branch; true when the case is over instead. */
	private casePattern(): boolean {
		const { source } = this;
		source.match(/(?:[ \t\n]|#[^\n]*\n)+/y);
		if (source.match(/esac(?![\w-])/y) !== "") return true;
		source.take("(");
		for (;;) {
			source.match(/[ \t\n|]+/y);
			if (source.isOver) throw new Unread("a case is never closed");
			if (source.take(")")) return false;
			this.someWord();
		}
	}

	private someWord(): Word {
		const start = this.source.at;
		const word = this.words.word();
		if (this.source.at === start) throw new Unread(`"${this.source.peek()}" where a word is expected`);
		return word;
	}
}
