/**
 * The front matter of a Markdown file: keys and values between two lines of `---`. Files for agents often have values that are no
 * YAML (`description: Use it when: …`), and a file of somebody else's is read here, so this takes the simple forms of YAML alone,
 * forgives what has only one meaning, and costs no more than the text's length. There are no aliases, tags or nested values. Pure.
 */

export type FrontMatterValue = string | readonly string[];

interface FrontMatter {
	readonly values: ReadonlyMap<string, FrontMatterValue>;
	/** What follows the front matter. */
	readonly body: string;
}

const MAX_KEYS = 100;
const KEY = /^["']?([A-Za-z_][\w.-]{0,63})["']?[ \t]*:(?:[ \t]+(.*))?$/;
const BLOCK = /^([|>])[+-]?\d?[+-]?[ \t]*(?:#.*)?$/;

/** Undefined when the front matter begins and has no end. Without one, all is the body. */
export function readFrontMatter(text: string): FrontMatter | undefined {
	const lines = text.split("\n");
	if (lines[0]?.trimEnd() !== "---") return { values: new Map(), body: text.trim() };
	const end = lines.findIndex((line, at) => at > 0 && /^(---|\.\.\.)[ \t]*$/.test(line));
	if (end < 0) return undefined;
	const body = lines.slice(end + 1).join("\n");
	return { values: valuesIn(lines.slice(1, end)), body: body.trim() };
}

/** The lines of each key: what stands behind it, and what follows up to the next key. */
function valuesIn(lines: readonly string[]): Map<string, FrontMatterValue> {
	const found: { key: string; first: string; rest: string[] }[] = [];
	for (const line of lines) {
		const [, key, first = ""] = KEY.exec(line) ?? [];
		if (key !== undefined && found.length < MAX_KEYS) found.push({ key, first: first.trim(), rest: [] });
		else found.at(-1)?.rest.push(line);
	}
	return new Map(found.map(({ key, first, rest }) => [key, readValue(first, rest)]));
}

function readValue(first: string, rest: readonly string[]): FrontMatterValue {
	const [, block] = BLOCK.exec(first) ?? [];
	if (block !== undefined) return blockOf(rest, block === ">");
	const more = rest.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
	if (first === "" && more.some((line) => line.startsWith("-")))
		return more.flatMap((line) => (line.startsWith("-") ? [scalar(line.slice(1))] : []));
	const whole = [first, ...more].join(" ").trim();
	const [, inside] = /^\[(.*)\]$/.exec(whole) ?? [];
	return inside === undefined ? scalar(whole) : listed(inside);
}

/** `>` joins the lines of a paragraph. */
function blockOf(lines: readonly string[], isFolded: boolean): string {
	const indent = /^[ \t]*/.exec(lines.find((line) => line.trim() !== "") ?? "")?.[0] ?? "";
	const text = lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart())).join("\n");
	return (isFolded ? text.replace(/(\S)\n(?=\S)/g, "$1 ") : text).trim();
}

function listed(text: string): string[] {
	return text
		.split(",")
		.map(scalar)
		.filter((item) => item !== "");
}

/** A list as one text. */
export function textOf(value: FrontMatterValue | undefined): string {
	return value === undefined ? "" : typeof value === "string" ? value.trim() : value.join(", ");
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\n", '"': '"', "\\": "\\", "/": "/" };

function scalar(written: string): string {
	const text = written.trim();
	const quote = text[0];
	if ((quote === '"' || quote === "'") && text.length > 1) {
		const end = text.lastIndexOf(quote);
		const inside = text.slice(1, end > 0 ? end : undefined);
		return quote === "'" ? inside.replaceAll("''", "'") : inside.replace(/\\(.)/g, (both, one) => ESCAPES[one] ?? both);
	}
	return text.replace(/[ \t]#.*$/s, "").trim();
}
