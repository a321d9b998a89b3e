/**
 * Reads a script of bash for its simple commands, wherever in it they stand: in lists, pipes, subshells, substitutions, loops, branches and
 * bodies of functions. It is tolerant: what bash would refuse may pass, but no command is overlooked. What cannot be read is said. Pure.
 */
import { Characters } from "./characters.ts";
import { CompoundCommands } from "./compound-commands.ts";
import { HereDocuments } from "./here-documents.ts";
import { changesPrograms } from "./program-variables.ts";
import { type Assigned, type Input, type Script, type SimpleCommand, shown } from "./script.ts";
import { assignedBy, isArrayStart, type Mistakes, Unread, WordReader } from "./word-reader.ts";

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
