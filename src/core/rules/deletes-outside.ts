/** What a command deletes outside of the work tree, as far as its words tell it; for runs without a sandbox, which would confine it. Pure. */
import { type Part, withInner } from "./command-parts.ts";
import { afterOptions, programOf, withoutOptions } from "./programs.ts";
import { ANY } from "./rule.ts";

export interface DeletePlace {
	/** Where the command starts. */
	readonly directory: string;
	readonly home: string;
	/** Directories in which it may delete. */
	readonly within: readonly string[];
}

interface Deleted {
	readonly path: string;
	/** Whatever stands for what is known only when it runs, the path is outside. */
	readonly isCertain: boolean;
}

const DELETES = new Set(["rm", "rmdir", "unlink", "shred"]);

/** The first path that it deletes outside of them; undefined: none that is known. */
export function deletedOutside(parts: readonly Part[], { home, within, ...place }: DeletePlace): Deleted | undefined {
	/** Undefined: not known. A `cd` in a subshell counts, too. */
	let directory: string | undefined = place.directory;
	const all = parts.flatMap(withInner);
	for (const [at, { words }] of all.entries()) {
		const name = programOf(words[0] ?? "");
		for (const given of [...deletedBy(name, words), ...foundForXargs(all, at)]) {
			const found = whole(given, directory, home);
			if (found === undefined || within.some((root) => isBelow(found.path, root))) continue;
			const { path, below } = found;
			return { path, isCertain: below === undefined || !within.some((root) => root === below || isBelow(root, below)) };
		}
		if (/^(?:cd|pushd|popd)$/.test(name)) {
			const to = words.slice(1).find((word) => word === "-" || !/^[-+]/.test(word)) ?? (name === "cd" ? "~" : "-");
			directory = to === "-" ? undefined : whole(to, directory, home)?.path;
		}
	}
	return undefined;
}

function isBelow(path: string, root: string): boolean {
	return path.startsWith(root === "/" ? root : `${root}/`);
}

function deletedBy(name: string, words: readonly string[]): readonly string[] {
	if (DELETES.has(name))
		return words.slice(1).filter((word, at, all) => !word.startsWith("-") || all.slice(0, at).includes("--"));
	switch (name) {
		case "find":
			return words.includes("-delete") || runsDelete(words) ? foundBy(words) : [];
		case "git":
			return cleanedByGit(words);
		case "rsync": {
			const to = words.at(-1) ?? "";
			return words.some((word) => /^--del(?:ete\S*)?$/.test(word)) && !to.includes(":") ? [`${to}/synced`] : [];
		}
		default:
			return [];
	}
}

function runsDelete(words: readonly string[]): boolean {
	return words.some((word, at) => {
		const isRun = /^-(?:exec|ok)(?:dir)?$/.test(word) && DELETES.has(programOf(words[at + 1] ?? ""));
		return isRun && words.indexOf("{}", at) > 0;
	});
}

function foundBy(words: readonly string[]): readonly string[] {
	const start = afterOptions(words, ["-D"]);
	const end = words.findIndex((word, at) => at >= start && /^[-(!]/.test(word));
	return words.slice(start, end < 0 ? undefined : end).map((root) => `${root}/found`);
}

/** What a find right before it hands the xargs at that place, which deletes. */
function foundForXargs(parts: readonly Part[], at: number): readonly string[] {
	const [before, { words, inner } = { words: [], inner: [] }] = [parts[at - 1]?.words ?? [], parts[at]];
	const deletes = inner.some((part) => DELETES.has(programOf(part.words[0] ?? "")));
	return programOf(words[0] ?? "") === "xargs" && deletes && programOf(before[0] ?? "") === "find"
		? foundBy(before)
		: [];
}

function cleanedByGit(words: readonly string[]): readonly string[] {
	const [, second, ...rest] = withoutOptions(words);
	if (second !== "clean" || rest.some((word) => /^-[a-zA-Z]*n|^--dry-run$/.test(word))) return [];
	const at = words.indexOf("-C");
	const start = at > 0 && at < words.indexOf("clean") ? `${words[at + 1] ?? "."}/` : "";
	const given = rest.filter((word) => !word.startsWith("-"));
	return (given.length === 0 ? ["."] : given).map((path) => `${path.startsWith("/") ? "" : start}${path}/untracked`);
}

/**
 * What is known of the path up to a part that is not: `/etc/*` is in /etc. `below`: the path is somewhere below this, which leaves open
 * where; a last name alone that is not known leaves open little.
 */
function whole(
	given: string,
	directory: string | undefined,
	home: string,
): { path: string; below?: string } | undefined {
	const path = given.replace(/^~(?=\/|$)/, home);
	const at = path.indexOf(ANY);
	if (at === 0) return undefined;
	const known = at < 0 ? path : path.slice(0, path.lastIndexOf("/", at) + 1);
	const start = known.startsWith("/") ? known : directory === undefined ? undefined : `${directory}/${known}`;
	if (start === undefined) return undefined;
	if (at < 0) return { path: normalized(start) };
	const isLast = !/\/[^/]/.test(path.slice(at));
	return { path: normalized(`${start}/unknown`), ...(!isLast && { below: normalized(start) }) };
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
