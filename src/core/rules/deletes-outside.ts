/** What a command deletes outside of the work tree, as far as its words tell it. Pure. */
import { type Part, withInner } from "./command-parts.ts";
import { ANY } from "./pattern.ts";
import { afterOptions, programOf } from "./wrappers.ts";

export interface DeletePlace {
	/** Where the command starts. */
	readonly directory: string;
	readonly home: string;
	/** Directories in which it may delete. */
	readonly within: readonly string[];
}

const DELETES = new Set(["rm", "rmdir", "unlink", "shred"]);

/** The first path that it deletes outside of them; undefined: none that can be told. */
export function deletedOutside(parts: readonly Part[], place: DeletePlace): string | undefined {
	let directory: string | undefined = place.directory;
	for (const part of parts.flatMap(withInner)) {
		const [first = "", ...rest] = part.words;
		const name = programOf(first);
		if (name === "cd" || name === "pushd")
			directory = whole(rest.find((word) => !word.startsWith("-")) ?? "~", { ...place, directory });
		for (const given of deletedBy(name, part.words)) {
			const path = whole(given, { ...place, directory });
			if (path !== undefined && !place.within.some((root) => path.startsWith(`${root}/`))) return path;
		}
	}
	return undefined;
}

function deletedBy(name: string, words: readonly string[]): readonly string[] {
	if (DELETES.has(name))
		return words.slice(1).filter((word, at, all) => !word.startsWith("-") || all.slice(0, at).includes("--"));
	if (name !== "find" || !words.includes("-delete")) return [];
	const start = afterOptions(words, ["-D"]);
	const roots = words.slice(
		start,
		words.findIndex((word, at) => at >= start && /^[-(!]/.test(word)),
	);
	return roots.map((root) => `${root}/found`);
}

/** What is known of the path up to a part that is not: `/etc/*` is in /etc. */
function whole(
	given: string,
	{ directory, home }: { directory: string | undefined; home: string },
): string | undefined {
	const path = given.replace(/^~(?=\/|$)/, home);
	const at = path.indexOf(ANY);
	if (at === 0) return undefined;
	const known = at < 0 ? path : `${path.slice(0, path.lastIndexOf("/", at) + 1)}unknown`;
	if (known.startsWith("/")) return normalized(known);
	return directory === undefined ? undefined : normalized(`${directory}/${known}`);
}

/** An absolute path without `.`, `..` and what is empty. */
function normalized(path: string): string {
	const parts: string[] = [];
	for (const part of path.split("/")) {
		if (part === "..") parts.pop();
		else if (part !== "" && part !== ".") parts.push(part);
	}
	return `/${parts.join("/")}`;
}
