/**
 * A rule names commands: `Bash(npm run test *)`, `Bash(npm run test:*)` and `npm run test` those that begin with these words,
 * `Bash(git push)` that one alone, `Bash` all. It is what people have in the settings of other tools already. Pure.
 */
import { type Pattern, parsePattern } from "./pattern.ts";

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
