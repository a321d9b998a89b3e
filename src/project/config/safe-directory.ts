/**
 * Whether a directory is safe from other users, by the rule that ssh has for the files that it trusts (StrictModes): it is
 * ours, nobody else may write there, and nobody else can put another in its place.
 */
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

const MAX_LINKS = 40; // as in the kernel
const STICKY = 0o1000;

/**
 * Why the directory is not safe for the user, as in `/a is writable by everyone`; undefined when it is. What is missing of
 * the path is safe: we make it. `path` is absolute. `isClosedThen`: the directory is closed to others before it is used.
 */
export function whyUnsafe(path: string, uid: number, { isClosedThen = false } = {}): string | undefined {
	const user = { uid, isClosedThen };
	for (const step of stepsTo(path)) {
		const why =
			typeof step.found === "string" ? `cannot be read (${step.found})` : whyUnsafeStep(step, step.found, user);
		if (why !== undefined) return `${step.path} ${why}`;
	}
	return undefined;
}

interface Step {
	readonly path: string;
	/** The system's code when that cannot be known. */
	readonly found: Stats | string;
	/** True for the directory that the path leads to. */
	readonly isLast: boolean;
}

/** The directories and links on the way to the path and through its links, as far as they exist. */
function* stepsTo(path: string): Generator<Step> {
	const names = namesIn(path);
	let links = 0;
	for (let at = "/"; names.length > 0; ) {
		const name = names.shift() ?? "";
		const each = name === ".." ? dirname(at) : join(at, name);
		const found = look(each);
		if (found === undefined) return;
		yield { path: each, found, isLast: names.length === 0 };
		if (typeof found === "string") return;
		if (!found.isSymbolicLink()) at = each;
		else {
			if (++links > MAX_LINKS) return;
			const target = readlinkSync(each);
			names.unshift(...namesIn(target));
			if (isAbsolute(target)) at = "/";
		}
	}
}

function namesIn(path: string): string[] {
	return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** Undefined for nothing, and for what is told by whoever uses it. */
function look(path: string): Stats | string | undefined {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code ?? "";
		return code === "EACCES" || code === "EPERM" ? code : undefined;
	}
}

function whyUnsafeStep(
	{ isLast }: Step,
	found: Stats,
	{ uid, isClosedThen }: { uid: number; isClosedThen: boolean },
): string | undefined {
	const isOurs = found.uid === uid;
	const isTrusted = isOurs || found.uid === systemUser();
	if (found.isSymbolicLink()) return isTrusted ? undefined : `is a symbolic link of user ${found.uid}`;
	if (isLast ? !isOurs : !isTrusted) return `belongs to user ${found.uid}, not to you (${uid})`;
	const mayBeOpen = isLast ? isClosedThen : (found.mode & STICKY) !== 0; // sticky, as /tmp: nobody can replace what is another's
	const writers = otherWriters(found, uid);
	return writers === undefined || mayBeOpen ? undefined : `is writable by ${writers}`;
}

/** 0. In a user namespace all users outside of it, root too, are one: the owner of `/`, who can replace all. */
function systemUser(): number {
	return lstatSync("/").uid;
}

/** A group with the number of its user is that user's own, which most systems make for each; that of root may have members. */
function otherWriters({ mode, gid }: Stats, uid: number): string | undefined {
	if ((mode & 0o002) !== 0) return "everyone";
	const isOwnGroup = gid === uid && uid !== 0;
	return (mode & 0o020) !== 0 && !isOwnGroup ? `group ${gid}` : undefined;
}
