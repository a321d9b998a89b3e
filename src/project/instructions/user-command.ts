/** A command of the user or of a project: a text with places for arguments, which a person sends by `/its-name arguments`. Pure. */
import { basename } from "node:path";
import { preview } from "../../core/preview.ts";
import type { KeptFile } from "../../wire/supervise-order.ts";
import { type Definition, type Kind, markdownFile } from "./defined-files.ts";
import { readFrontMatter, textOf } from "./front-matter.ts";
import { mapOutsideCode } from "./markdown-code.ts";

const MAX_DESCRIPTION = 200; // characters
const WORD = /^[a-z][\w-]{0,63}$/i; // as it is read behind a slash

export interface UserCommand {
	/** Without the slash. */
	readonly name: string;
	/** What the front matter says, else the first line of the text. */
	readonly description: string;
	/** What its arguments are, in words; empty where the file does not say. */
	readonly argumentHint: string;
	readonly text: string;
}

export const USER_COMMANDS: Kind<UserCommand> = { called: "command", fileOf: markdownFile, read: readCommand };

function readCommand({ text, path }: KeptFile): Definition<UserCommand> {
	const read = readFrontMatter(text);
	if (read === undefined) return { is: "refused", why: "its front matter is not closed" };
	const name = basename(path, ".md");
	if (!WORD.test(name)) return { is: "refused", why: `"${preview(name, 100)}" is not a valid name for a command` };
	if (read.body === "") return { is: "refused", why: "it has no text" };
	const firstLine = read.body.split("\n", 1)[0]?.replace(/^#+\s*/, "") ?? "";
	const description = preview(textOf(read.values.get("description")) || firstLine, MAX_DESCRIPTION);
	const argumentHint = preview(textOf(read.values.get("argument-hint")), MAX_DESCRIPTION);
	return { is: "defined", what: { name, description, argumentHint, text: read.body } };
}

/** An escaped dollar, or a place that stands alone: no part of a word, a number or a price. `$1$2` are two. */
const PLACES = /\\\$|(?<!\$)(?<!\w(?<!\$[1-9]))\$(?:(ARGUMENTS)|([1-9]))(?!\w|[.,]\d)/g;

/**
 * The text with `$ARGUMENTS` (all of them) and `$1` … `$9` replaced, in one pass: what an argument has in it stays, and so does code.
 * `\$` is a dollar. Where the text has no place for them, they follow it.
 */
export function withArguments(text: string, typed: string): string {
	const words = wordsIn(typed);
	const all = typed.trim();
	let hasPlace = false;
	const filled = mapOutsideCode(text, (part) =>
		part.replace(PLACES, (found, whole: string | undefined, place: string | undefined) => {
			if (found === "\\$") return "$";
			hasPlace = true;
			return whole === undefined ? (words[Number(place) - 1] ?? "") : all;
		}),
	);
	return hasPlace || all === "" ? filled : `${filled}\n\nArguments: ${all}`;
}

/** As a shell parts them: white space parts words, but for that in quotes. */
function wordsIn(typed: string): string[] {
	return [...typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
		([, double, single, plain]) => double ?? single ?? plain ?? "",
	);
}
