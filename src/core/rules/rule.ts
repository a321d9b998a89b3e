/**
 * A rule names commands: `Bash(npm run test *)`, `Bash(npm run test:*)` and `npm run test` those that begin with these words,
 * `Bash(git push)` that one alone, `Bash` all. It is what people have in the settings of other tools already. Pure.
 */

export interface Rule {
	/** As it was written. */
	readonly text: string;
	/** The rule names a command that one of them matches. */
	readonly patterns: readonly Pattern[];
	/** It names every command, whatever that is. */
	readonly isForAll: boolean;
}

type ParsedRule = { readonly is: "rule"; readonly rule: Rule } | { readonly is: "bad"; readonly reason: string };

export interface RuleSet {
	/** Whose rules they are, in words: `the command line`. */
	readonly source: string;
	/** They come with the program: they count only where it is certain that they name a command. */
	readonly isBuiltIn?: true;
	readonly allow: readonly Rule[];
	readonly ask: readonly Rule[];
	readonly deny: readonly Rule[];
}

export interface WrittenRules {
	readonly source: string;
	readonly allow: readonly string[];
	readonly ask: readonly string[];
	readonly deny: readonly string[];
}

const MAX_CHARS = 500;
const OTHER_TOOL =
	/^(?:(?:Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep|LS|WebFetch|WebSearch|Task|Agent|Skill|TodoWrite|PowerShell)$|mcp__|[A-Z]\w*\()/;

export function parseRule(given: string): ParsedRule {
	const text = given.trim();
	if (text === "") return bad("a rule is empty: write the first words of a command, as in Bash(npm run test *)");
	if (text.length > MAX_CHARS) return bad(`a rule has ${text.length} characters; the maximum is ${MAX_CHARS}`);
	if (/[\n\r\0\uffff]/.test(text)) return bad(`a rule must be one line: ${JSON.stringify(text)}`);
	const [, inside] = /^[Bb]ash\((.*)\)$/.exec(text) ?? [];
	if (inside !== undefined) return ofPattern(text, inside);
	if (/^[Bb]ash$/.test(text)) return ofPattern(text, "*");
	if (/^[Bb]ash\(/.test(text)) return bad(`the rule ${text} does not end with )`);
	if (OTHER_TOOL.test(text)) return bad(`the rule ${text} is about another tool, and agents here have only Bash`);
	return ofPattern(text, text.endsWith("*") ? text : `${text} *`);
}

/** What is wrong with the first rule that is none, in words; undefined: all are. */
export function faultIn({ allow, ask, deny }: Omit<WrittenRules, "source">): string | undefined {
	for (const text of [...allow, ...ask, ...deny]) {
		const parsed = parseRule(text);
		if (parsed.is === "bad") return parsed.reason;
	}
	return undefined;
}

/** Of rules that were checked where they came from. */
export function ruleSet({ source, allow, ask, deny }: WrittenRules): RuleSet {
	return { source, allow: allow.flatMap(read), ask: ask.flatMap(read), deny: deny.flatMap(read) };
}

function read(text: string): Rule[] {
	const parsed = parseRule(text);
	return parsed.is === "rule" ? [parsed.rule] : [];
}

function ofPattern(text: string, inside: string): ParsedRule {
	const words = inside
		.replace(/(["'])([^"']*)\1/g, "$2") // commands are compared without their quotes
		.replace(/\s+/g, " ")
		.trim();
	const prefix = /^(.*?)(?::\*| \*)$/.exec(words)?.[1];
	if (words === "" || words === "*" || prefix === "" || prefix === "*")
		return { is: "rule", rule: { text, patterns: [parsePattern("*")], isForAll: true } };
	const patterns = prefix === undefined ? [words] : [prefix, `${prefix} *`];
	return { is: "rule", rule: { text, patterns: patterns.map(parsePattern), isForAll: false } };
}

function bad(reason: string): ParsedRule {
	return { is: "bad", reason };
}

/**
 * Patterns of rules against the words of commands. `*` in a pattern stands for any text. In a command `ANY` stands for text that is known only
 * when the command runs; it is no character of Unicode, so no command has it.
 */
export const ANY = "\uffff";

export interface Pattern {
	/** The text around its stars: one more than there are stars. */
	readonly pieces: readonly string[];
}

/** `\*` is a star itself. */
export function parsePattern(text: string): Pattern {
	const pieces = [""];
	for (const [part] of text.matchAll(/\\\*|\*+|[^*\\]+|\\/g)) {
		if (part.startsWith("*")) pieces.push("");
		else pieces.push(`${pieces.pop()}${part === "\\*" ? "*" : part}`);
	}
	return { pieces };
}

/** Whether the pattern matches whatever the unknown text is: only a star takes that. */
export function matches({ pieces }: Pattern, text: string): boolean {
	const [first = "", ...others] = pieces;
	const last = others.pop();
	if (last === undefined) return text === first;
	const end = text.length - last.length;
	if (!text.startsWith(first) || !text.endsWith(last)) return false;
	let at = first.length;
	for (const piece of others) {
		const found = text.indexOf(piece, at);
		if (found < 0) return false;
		at = found + piece.length;
	}
	return at <= end;
}

/** Whether the pattern may match for some unknown text: where nothing is unknown, or no star is, beginning and end agree. */
export function mayMatch(pattern: Pattern, text: string): boolean {
	if (!text.includes(ANY)) return matches(pattern, text);
	const start = text.slice(0, text.indexOf(ANY));
	const end = text.slice(text.lastIndexOf(ANY) + 1);
	const { pieces } = pattern;
	const [first, last] = [pieces[0] ?? "", pieces.at(-1) ?? ""];
	return (
		(first.startsWith(start) || (pieces.length > 1 && start.startsWith(first))) &&
		(last.endsWith(end) || (pieces.length > 1 && end.endsWith(last)))
	);
}
