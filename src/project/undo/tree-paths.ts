/** Paths below a tree, one character a byte, and what git's plumbing prints of them. Pure. */

/** Whether it names something below the tree that is no repository's: what a file says that commands can change is not believed. */
export function isTreePath(path: string): boolean {
	return path
		.split("/")
		.every((name) => !["", ".", ".."].includes(name) && !/^\.git$/i.test(name) && !name.includes("\0"));
}

/** The directories above a path, the nearest first. */
export function directoriesAbove(path: string): string[] {
	const names = path.split("/");
	return names.slice(1).map((_, n) => names.slice(0, names.length - 1 - n).join("/"));
}

/** Tells whether a path is in the list, or in a directory of the list, whose path ends in a slash. */
export function holderOf(paths: Iterable<string>): (path: string) => boolean {
	const held = new Set(paths);
	return (path) => held.has(path) || directoriesAbove(path).some((directory) => held.has(`${directory}/`));
}

/** For people: bytes that are no UTF-8 are replaced. */
export function shownPath(path: string): string {
	return new TextDecoder().decode(Uint8Array.from(path, (char) => char.charCodeAt(0)));
}

/** Texts that each end in a NUL, one character a byte. */
export function parseNames(out: Uint8Array): string[] {
	return latin1(out).split("\0").slice(0, -1);
}

export function joinNames(paths: readonly string[]): Uint8Array {
	return bytesOf(paths.map((path) => `${path}\0`).join(""));
}

/** The lines of `update-index --index-info` that take paths out of an index. */
export function removalsOf(paths: readonly string[]): Uint8Array {
	return bytesOf(paths.map((path) => `0 ${"0".repeat(40)}\t${path}\0`).join(""));
}

export interface TreeEntry {
	readonly kind: "plain" | "executable" | "link";
	/** Git's id of the content. */
	readonly content: string;
}

export interface Difference {
	readonly path: string;
	/** Absent: there is no such file on that side. */
	readonly before?: TreeEntry;
	readonly after?: TreeEntry;
	/** Lines that came and went; absent for what is no text. */
	readonly lines?: { readonly added: number; readonly removed: number };
}

/** The output of `diff-tree -r -z --raw --numstat --no-renames --abbrev=40`. */
export function parseDifferences(out: Uint8Array): Difference[] {
	const tokens = parseNames(out);
	const found = new Map<string, Difference>();
	for (let at = 0; at < tokens.length; at++) {
		const token = tokens[at] ?? "";
		const raw = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) \w/.exec(token);
		if (raw !== null) {
			const path = tokens[++at] ?? "";
			const [, modeBefore = "", modeAfter = "", before = "", after = ""] = raw;
			found.set(path, { path, ...entry("before", modeBefore, before), ...entry("after", modeAfter, after) });
			continue;
		}
		const [, added, removed, path = ""] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(token) ?? [];
		const difference = found.get(path);
		if (difference === undefined || added === "-") continue;
		found.set(path, { ...difference, lines: { added: Number(added), removed: Number(removed) } });
	}
	return [...found.values()];
}

function entry<K extends "before" | "after">(side: K, mode: string, content: string): { [S in K]?: TreeEntry } {
	const kind = KINDS[mode];
	return kind === undefined ? {} : ({ [side]: { kind, content } } as { [S in K]?: TreeEntry });
}

const KINDS: Readonly<Record<string, TreeEntry["kind"]>> = {
	"100644": "plain",
	"100755": "executable",
	"120000": "link",
};

function latin1(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function bytesOf(text: string): Uint8Array {
	return Buffer.from(text, "latin1");
}
