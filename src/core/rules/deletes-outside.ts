/** What a command deletes outside of the work tree, as far as its words tell it. Pure. */
import type { Part } from "./command-parts.ts";
import { ANY } from "./pattern.ts";
import { withoutOptions } from "./subcommand.ts";
import { afterOptions, programOf } from "./wrappers.ts";

export interface DeletePlace {
	/** Where the command starts. */
	readonly directory: string;
	readonly home: string;
	/** Directories in which it may delete. */
	readonly within: readonly string[];
}

export interface Deleted {
	readonly path: string;
	/** Whatever stands for what is known only when it runs, the path is outside. */
	readonly isCertain: boolean;
}

const DELETES = new Set(["rm", "rmdir", "unlink", "shred"]);
/** What they run is run by the shell itself: it stays in the directory to which that goes. */
const IN_SHELL = new Set(["eval", "command", "builtin"]);

/** The first path that it deletes outside of them; undefined: none that can be told. */
export function deletedOutside(parts: readonly Part[], place: DeletePlace): Deleted | undefined {
	return new DeleteFinder(place).find(parts, [{ scope: "", directory: place.directory }]);
}

/** Undefined: it is not known. */
interface Went {
	readonly scope: string;
	readonly directory: string | undefined;
}

class DeleteFinder {
	private readonly place: DeletePlace;

	constructor(place: DeletePlace) {
		this.place = place;
	}

	/** `went`: where the shell is; a subshell begins where the shell around it is, and what it does to that is its own. */
	find(parts: readonly Part[], went: Went[]): Deleted | undefined {
		for (const [at, part] of parts.entries()) {
			const isIn = ({ scope }: Went) => part.scope === scope || part.scope.startsWith(`${scope}/`);
			const directory = went.findLast(isIn)?.directory;
			const name = programOf(part.words[0] ?? "");
			const given = [...deletedBy(name, part.words), ...foundForXargs(parts, at)];
			const found = this.outside(given, directory) ?? this.inner(part, name, { went, directory });
			if (found !== undefined) return found;
			const to = this.wentTo(name, part.words, directory);
			if (to !== undefined) went.push({ scope: part.scope, ...to });
		}
		return undefined;
	}

	private inner(
		{ inner, scope }: Part,
		name: string,
		{ went, directory }: { went: Went[]; directory: string | undefined },
	): Deleted | undefined {
		if (inner.length === 0) return undefined;
		const own: Went[] = [{ scope: "", directory }];
		const found = this.find(inner, own);
		if (IN_SHELL.has(name)) went.push({ scope, directory: own.findLast((one) => one.scope === "")?.directory });
		return found;
	}

	private wentTo(
		name: string,
		words: readonly string[],
		directory: string | undefined,
	): Pick<Went, "directory"> | undefined {
		if (name === "popd") return { directory: undefined };
		if (name !== "cd" && name !== "pushd") return undefined;
		const given = words.slice(1).find((word) => word === "-" || !/^[-+]/.test(word));
		if (given === "-" || (given === undefined && name === "pushd")) return { directory: undefined };
		return { directory: whole(given ?? "~", directory, this.place.home)?.path };
	}

	private outside(given: readonly string[], directory: string | undefined): Deleted | undefined {
		const { home, within } = this.place;
		for (const one of given) {
			const found = whole(one, directory, home);
			if (found === undefined || within.some((root) => isBelow(found.path, root))) continue;
			const { path, below } = found;
			return { path, isCertain: below === undefined || !within.some((root) => root === below || isBelow(root, below)) };
		}
		return undefined;
	}
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

/** They hand on what they read, or some of it. */
const FILTERS = new Set("grep egrep fgrep rg sort uniq head tail sed awk tr cut tac shuf cat xargs".split(" "));

/** What a find before it hands the xargs at that place, which deletes. */
function foundForXargs(parts: readonly Part[], at: number): readonly string[] {
	const { words = [], inner = [] } = parts[at] ?? {};
	if (programOf(words[0] ?? "") !== "xargs" || !inner.some((part) => DELETES.has(programOf(part.words[0] ?? ""))))
		return [];
	const before = parts.slice(0, at).findLast((part) => !FILTERS.has(programOf(part.words[0] ?? "")));
	return programOf(before?.words[0] ?? "") === "find" ? foundBy(before?.words ?? []) : [];
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
