/** The paths that a line names with which a program says that it may not have something. Pure. */
import { isAbsolute, resolve } from "node:path";

/** A name alone, which bash puts before the words of the C library. */
const BARE = /([^\s:/'"`‘’]+): (?:read-only file system|permission denied|operation not permitted)(?!:)/i;
const NO_NAME = /^(?:error|fatal|warning|err!|E[A-Z]+|\W+)$/i;
const QUOTED = /'([^']+)'|‘([^’]+)’|"([^"]+)"|`([^`']+)['`]/g;

/** What looks like a path: in quotes, a word with a slash in it, or a name alone beside what is said of it. */
export function pathsIn(line: string, { cwd, home }: { cwd: string; home: string | undefined }): string[] {
	const quoted = [...line.matchAll(QUOTED)].flatMap(groupsOf);
	const words = line.replace(QUOTED, " ").split(/:\s|:$|\s|,/);
	const bare = groupsOf(BARE.exec(line) ?? []).filter((name) => !NO_NAME.test(name));
	const named = [...quoted, ...words.filter((word) => /^[\w.~@+-]*\/|^\.\w/.test(word)), ...bare];
	return named.flatMap((name) => {
		const whole = home !== undefined && name.startsWith("~/") ? `${home}${name.slice(1)}` : name;
		return isAbsolute(whole) || !whole.includes("://") ? [resolve(cwd, whole)] : [];
	});
}

function groupsOf(found: readonly (string | undefined)[]): string[] {
	return found.slice(1).flatMap((each) => each ?? []);
}
