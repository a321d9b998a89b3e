/** Paths below a tree, one character a byte. Pure. */

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
