/**
 * Reads a script of bash for its simple commands, wherever in it they stand: in lists, pipes, subshells, substitutions, loops, branches and
 * bodies of functions. It is tolerant: what bash would refuse may pass, but no command is overlooked. What cannot be read is said. Pure.
 */
import { Characters } from "./characters.ts";
import { HereDocuments } from "./here-documents.ts";
import { changesPrograms } from "./program-variables.ts";
import { type Assigned, type Input, type Script, type SimpleCommand, shown } from "./script.ts";
import { assignedBy, isArrayStart, type Mistakes, Unread, type Word, WordReader } from "./word-reader.ts";

const MAX_DEPTH = 20;
const MAX_COMMANDS = 300;
/** Files to which output may always go. */
const NOWHERE = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

export function readScript(script: string, depth = 0, mistakes: Mistakes = { count: 0 }): Script {
	const reader = new ScriptReader(script, { depth, scope: "", mistakes });
	try {
		reader.list(false);
	} catch (error) {
		if (!(error instanceof Unread)) throw error;
		return { commands: reader.commands, unread: error.isPlaced ? error.message : reader.placed(error.message) };
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
	/** Of the command that is being read. */
	private start = 0;
	private readonly hereDocuments: HereDocuments;
	private readonly compounds: CompoundCommands;
	private readonly mistakes: Mistakes;

	constructor(script: string, { depth, scope, mistakes }: { depth: number; scope: string; mistakes: Mistakes }) {
		this.source = new Characters(script);
		this.depth = depth;
		this.scope = scope;
		this.mistakes = mistakes;
		const onText = (text: string) => {
			const inner = readScript(text, this.depth + 1, mistakes);
			const outer = this.newScope();
			this.commands.push(...inner.commands.map((command) => ({ ...command, scope: outer + command.scope })));
			if (inner.unread !== undefined) throw new Unread(inner.unread, true);
		};
		this.hereDocuments = new HereDocuments(this.source, (text) => this.expanded(text));
		this.words = new WordReader(this.source, {
			onCommands: () => this.hereDocuments.substitution(() => this.list(true)),
			onText,
			mistakes,
		});
		this.compounds = new CompoundCommands(this.source, this.words, this.hereDocuments);
	}

	/** The reason, with what it is about. */
	placed(reason: string): string {
		return `${reason}: ${shown(this.source.text.slice(this.start))}`;
	}

	/** Commands up to the end of the script, or up to a closing parenthesis, which is gone past. */
	list(isInParentheses: boolean): void {
		const { source } = this;
		if (isInParentheses) this.hereDocuments.requireNone();
		if (++this.depth > MAX_DEPTH) throw new Unread("commands within commands, too deep");
		const { scope: outer, start } = this;
		if (isInParentheses) this.scope = this.newScope();
		let cases = 0;
		while (!source.isOver) {
			source.match(/(?:[ \t]|\\\n)+/y);
			if (source.peek() === "#") source.match(/[^\n]*/y);
			else if (this.hereDocuments.lineEnd()) continue;
			else if (source.take(")")) {
				this.hereDocuments.requireNone();
				if (!isInParentheses) throw new Unread("a closing parenthesis without an opening one");
				this.scope = outer;
				this.start = start;
				this.depth -= 1;
				return;
			} else if (source.match(/;;&|;;|;&/y) !== "") {
				if (cases === 0) throw new Unread(";; outside of a case");
				if (this.compounds.casePattern()) cases -= 1;
			} else if (source.match(/&&|\|\||\|&|[;|]|&(?!>)/y) === "") {
				if (this.command() === "case" && !this.compounds.casePattern()) cases += 1;
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
			this.words.mistake();
		}
		if (source.take("(")) {
			this.list(true);
			return "other";
		}
		const start = source.at;
		const { text, isBare } = this.words.word();
		const began = isBare ? this.compounds.behind(text) : undefined;
		if (began !== undefined) return began;
		source.at = start;
		this.simple();
		return "other";
	}

	private simple(): void {
		const { source } = this;
		const words: string[] = [];
		const assigned: Assigned[] = [];
		const writes: string[] = [];
		let input: Input = {};
		this.start = source.at;
		const { start } = this;
		for (;;) {
			source.match(/(?:[ \t]|\\\n)+/y);
			if (source.peek() === "#") source.match(/[^\n]*/y);
			const redirection = source.match(/(?:\d+|\{[A-Za-z_]\w*\})?(?:&>>?|<<<|<<-?|<&|>&|<>|>>|>\||[<>](?!\())/y);
			if (redirection !== "") {
				const from: Input = {};
				if (/^0*</.test(redirection)) input = from; // the last one counts
				const at = source.at - redirection.length;
				if (this.redirection(redirection.replace(/^(?:\d+|\{\w*\})/, ""), from))
					writes.push(source.text.slice(at, source.at));
				continue;
			}
			if (source.isOver || /[\n;&|)]/.test(source.peek())) break;
			if (source.take("(")) {
				this.parenthesis(words);
				return;
			}
			const { at } = source;
			const word = this.words.word();
			const name = words.length === 0 ? assignedBy(word) : undefined;
			if (isArrayStart(word) && source.take("(")) this.compounds.array();
			if (name === undefined) words.push(...word.words);
			else assigned.push({ name, text: word.text, written: source.text.slice(at, source.at) });
		}
		const runsNothing = words.length === 0 && writes.length === 0;
		if (runsNothing && !assigned.some(({ name }) => changesPrograms(name))) return;
		if (this.commands.length >= MAX_COMMANDS) throw new Unread(`more than ${MAX_COMMANDS} commands`);
		const written = source.text.slice(start, source.at).trim();
		this.commands.push({ words, assigned, writes: writes.join(" "), written, input, scope: this.scope });
	}

	/** Behind the name of a function, whose body is read as commands. */
	private parenthesis(words: readonly string[]): void {
		this.source.match(/[ \t]+/y);
		if (words.length !== 1 || !this.source.take(")")) throw new Unread("a parenthesis within a command");
	}

	/** True when it writes a file. */
	private redirection(operator: string, input: Input): boolean {
		const { source } = this;
		source.match(/(?:[ \t]|\\\n)+/y);
		const start = source.at;
		const { text } = this.words.word();
		if (source.at === start) throw new Unread("a redirection to nothing");
		if (operator === "<<" || operator === "<<-") {
			const written = source.text.slice(start, source.at);
			this.hereDocuments.add({ written, stripsTabs: operator === "<<-", input });
			return false;
		}
		if (operator === "<<<") input.text = text;
		if (!/[>]/.test(operator)) return false;
		if (operator === ">&" && /^(?:\d+|-)-?$/.test(text)) return false;
		return !NOWHERE.has(text);
	}

	/** The commands of a here-document that is expanded. */
	private expanded(text: string): void {
		const inner = new ScriptReader(text, { depth: this.depth, scope: this.newScope(), mistakes: this.mistakes });
		inner.words.expansions();
		this.commands.push(...inner.commands);
	}
}

/** Compound commands of bash: the words of its own, and what stands between them and the commands that they hold. */

/** Words before which, or behind which, a command begins. */
const AROUND = new Set("if then elif else while until do ! { time fi done esac }".split(" "));

class CompoundCommands {
	private readonly source: Characters;
	private readonly words: WordReader;
	private readonly hereDocuments: HereDocuments;

	constructor(source: Characters, words: WordReader, hereDocuments: HereDocuments) {
		this.source = source;
		this.words = words;
		this.hereDocuments = hereDocuments;
	}

	/** Goes past what belongs to the word; `case`: a pattern comes next. Undefined: it is no word of the shell's own. */
	behind(word: string): "case" | "other" | undefined {
		const { source } = this;
		if (AROUND.has(word)) {
			if (word === "time") source.match(/[ \t]+(?:-p|--)(?=[ \t\n])/y);
			return "other";
		}
		if (word === "for" || word === "select") return this.head();
		if (word === "function") return this.functionHead();
		if (word === "[[") return this.test();
		if (word === "case") return this.caseHead();
		if (word !== "coproc") return undefined;
		source.match(/[ \t]+[A-Za-z_]\w*(?=[ \t]+[{(])/y); // its name
		return "other";
	}

	array(): void {
		const { source } = this;
		this.hereDocuments.requireNone();
		for (;;) {
			this.hereDocuments.gap();
			if (source.isOver) throw new Unread("a parenthesis is never closed");
			if (source.take(")")) return;
			if (source.peek() === "#") source.match(/[^\n]*/y);
			else this.someWord();
		}
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
			this.hereDocuments.gap();
			if (source.isOver) throw new Unread("[[ is never closed");
			if (source.startsWith("<(") || source.startsWith(">(") || !/[()<>&|;]/.test(source.peek())) {
				const { text, isBare } = this.someWord();
				if (isBare && text === "]]") return "other";
			} else source.at += 1;
		}
	}

	private caseHead(): "case" {
		this.hereDocuments.gap();
		this.someWord();
		this.hereDocuments.gap();
		if (this.source.match(/in(?=[ \t\n])/y) === "") throw new Unread("a case without in");
		return "case";
	}

	/** The pattern of a branch; true when the case is over instead. */
	casePattern(): boolean {
		const { source } = this;
		do this.hereDocuments.gap();
		while (source.match(/#[^\n]*/y) !== "");
		if (source.match(/esac(?![\w-])/y) !== "") return true;
		source.take("(");
		for (;;) {
			do this.hereDocuments.gap();
			while (source.take("|"));
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
