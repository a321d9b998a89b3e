/**
 * The variables of an env file, as docs/cli.md says. Errors name file and line, never what stands there: it may be a key.
 * Pure.
 */
import { AgentreeError } from "../../core/errors.ts";

/** The last of several lines for a name counts. Throws AgentreeError("usage"). */
export function parseEnvFile(text: string, name: string): Record<string, string> {
	const reader = new Reader(normalised(text, name), name);
	const variables: Record<string, string> = {};
	while (!reader.isAtEnd) {
		const variable = reader.line();
		if (variable !== undefined) Object.defineProperty(variables, variable.name, { ...OWN, value: variable.value });
	}
	return variables;
}

const OWN = { enumerable: true, configurable: true, writable: true }; // also for a variable `__proto__`

function normalised(text: string, name: string): string {
	if (text.includes("\0"))
		throw new AgentreeError("usage", `${name}: contains NUL bytes, as a UTF-16 file does: save it as UTF-8`);
	return text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
}

/** `NAME =`, with `export` before it. Sticky: it reads at `lastIndex`. */
const NAME = /[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*/y;
const BLANK_OR_COMMENT = /[ \t\f\v]*(?:#[^\n]*)?(?:\n|$)/y;
const UNQUOTED = /[^\n]*/y;
const QUOTES: Readonly<Record<string, RegExp>> = {
	"'": /'([^']*)'/y,
	"`": /`([^`]*)`/y,
	'"': /"([^"\\]*(?:\\.[^"\\]*)*)"/sy,
};
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", $: "$", "\n": "" };

class Reader {
	private readonly text: string;
	private readonly name: string;
	private at = 0;

	constructor(text: string, name: string) {
		this.text = text;
		this.name = name;
	}

	get isAtEnd(): boolean {
		return this.at >= this.text.length;
	}

	/** The variable of the next line; undefined for a line without one. */
	line(): { name: string; value: string } | undefined {
		if (this.take(BLANK_OR_COMMENT) !== undefined) return undefined;
		const start = this.at;
		const name = this.take(NAME)?.[1];
		if (name === undefined) throw this.error(start, "is not NAME=value");
		return { name, value: this.value(start) };
	}

	private value(start: number): string {
		const quote = this.text[this.at] ?? "";
		const quoted = QUOTES[quote];
		if (quoted === undefined) return withoutComment(this.take(UNQUOTED)?.[0] ?? "");
		const inside = this.take(quoted)?.[1];
		if (inside === undefined) throw this.error(start, `has an unclosed ${quote}`);
		if (this.take(BLANK_OR_COMMENT) === undefined) throw this.error(start, "has text after the quoted value");
		return quote === '"' ? inside.replace(/\\(.)/gs, (both, escaped) => ESCAPES[escaped] ?? both) : inside;
	}

	private take(pattern: RegExp): RegExpExecArray | undefined {
		pattern.lastIndex = this.at;
		const found = pattern.exec(this.text);
		if (found === null) return undefined;
		this.at = pattern.lastIndex;
		return found;
	}

	private error(at: number, what: string): AgentreeError {
		const line = this.text.slice(0, at).split("\n").length;
		return new AgentreeError("usage", `${this.name} line ${line}: ${what}`);
	}
}

/** `value # comment` → `value`; a `#` without white space before it belongs to the value. */
function withoutComment(value: string): string {
	return value.replace(/(?:^|[ \t])#.*$/, "").trim();
}
