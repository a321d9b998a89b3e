/** Compound commands of bash: the words of its own, and what stands between them and the commands that they hold. */
import type { Characters } from "./characters.ts";
import type { HereDocuments } from "./here-documents.ts";
import { changesPrograms } from "./program-variables.ts";
import { Unread, type Word, type WordReader } from "./word-reader.ts";

/** Words before which, or behind which, a command begins. */
const AROUND = new Set("if then elif else while until do ! { time fi done esac }".split(" "));

export class CompoundCommands {
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
