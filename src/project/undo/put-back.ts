/** Puts a tree back, step by step. What cannot be done is left, and said; what follows is done all the same. */
import {
	closeSync,
	constants,
	existsSync,
	fchmodSync,
	fchownSync,
	fstatSync,
	lstatSync,
	mkdirSync,
	openSync,
	renameSync,
	rmdirSync,
	symlinkSync,
	unlinkSync,
} from "node:fs";
import { writeAll } from "../../record/files/private-files.ts";
import type { OpenTree } from "./open-tree.ts";
import type { Left, LeftReason, PutBackPlan, Step } from "./plan-put-back.ts";
import { directoriesAbove } from "./tree-paths.ts";

export interface PutBackDone {
	readonly written: readonly string[];
	readonly removed: readonly string[];
	readonly left: readonly Left[];
}

interface PutBackDeps {
	readonly top: string;
	/** What stood at the paths when the tree was compared. */
	readonly stamps: ReadonlyMap<string, string>;
	/** A kept content, by git's id; undefined when it is gone. */
	readonly content: (id: string) => Promise<Buffer | undefined>;
	/** A name that nothing in the tree has. */
	readonly temporary: string;
}

export async function putBack(plan: PutBackPlan, deps: PutBackDeps): Promise<PutBackDone> {
	const { steps, left: before, directories } = plan;
	const written: string[] = [];
	const removed: string[] = [];
	const left: Left[] = [...before];
	for (const step of steps) {
		const content = step.do === "write" ? await deps.content(step.entry.content) : undefined;
		const because = outcomeOf(step, content, deps);
		if (because !== undefined) left.push({ path: step.path, because });
		else if (step.do === "write" || step.do === "set_mode") written.push(step.path);
		else if (step.do === "remove" || step.do === "remove_directory") {
			if (step.do === "remove") removed.push(step.path);
			removeEmptyAbove(step.path, directories, deps);
		}
	}
	return { written, removed, left };
}

function outcomeOf(step: Step, content: Buffer | undefined, deps: PutBackDeps): LeftReason | undefined {
	try {
		return doStep(step, content, deps);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === undefined) throw error;
		return { is: "system", code };
	}
}

function doStep(step: Step, content: Buffer | undefined, deps: PutBackDeps): LeftReason | undefined {
	const { top, temporary } = deps;
	const at = <T>(act: (place: Place) => T, makes = false) => within(top, step.path, { makes, temporary, act });
	switch (step.do) {
		case "remove":
			return at(({ path }) => {
				if (!isSame(stampAt(path), step.path, deps)) return CHANGED;
				unlinkSync(path);
				return undefined;
			});
		case "remove_directory":
			at(({ path }) => rmdirSync(path));
			return undefined;
		case "make_directory":
			return at(({ path }) => makeDirectory(path), true);
		case "set_mode":
			return at(({ path }) => (isSame(stampAt(path), step.path, deps) ? setMode(path, step.mode) : CHANGED));
		case "write":
			return content === undefined ? NOT_KEPT : at((place) => write(place, content, { step, deps }), true);
	}
}

const NOT_KEPT: LeftReason = { is: "not_kept" };
const CHANGED: LeftReason = { is: "changed_meanwhile" };
const OTHER_THERE: LeftReason = { is: "something_else_there" };

function isSame(now: Stamp | undefined, path: string, { stamps }: PutBackDeps): boolean {
	return now?.text === stamps.get(path);
}

function makeDirectory(path: Buffer): LeftReason | undefined {
	const there = stampAt(path);
	if (there === undefined) mkdirSync(path);
	return there === undefined || there.is === "directory" ? undefined : OTHER_THERE;
}

/** A directory that is empty gives way. */
function write(
	place: Place,
	content: Buffer,
	{ step, deps }: { step: Extract<Step, { do: "write" }>; deps: PutBackDeps },
): LeftReason | undefined {
	const there = stampAt(place.path);
	const isDirectory = there?.is === "directory";
	if (isDirectory) rmdirSync(place.path);
	else if (there !== undefined && !step.replaces) return OTHER_THERE;
	else if (there !== undefined && !isSame(there, step.path, deps)) return CHANGED;
	const { entry, mode } = step;
	if (entry.kind === "link") putLink(place, content);
	else putFile(place, content, { mode, before: isDirectory ? undefined : there });
	return undefined;
}

function setMode(path: Buffer, mode: number): undefined {
	const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	try {
		if (fstatSync(file).isFile()) fchmodSync(file, mode);
	} finally {
		closeSync(file);
	}
}

/** Directories that were made since, when the last file of them is gone. */
function removeEmptyAbove(path: string, stay: ReadonlySet<string>, deps: PutBackDeps): void {
	for (const directory of directoriesAbove(path)) {
		if (stay.has(directory)) return;
		if (outcomeOf({ do: "remove_directory", path: directory }, undefined, deps) !== undefined) return;
	}
}

/** Reads kept contents, one after the other, by one process of git. */

type CatFile = Awaited<ReturnType<OpenTree["start"]>>["child"];

export class ContentReader {
	private readonly child: CatFile;
	private readonly chunks: AsyncIterator<Buffer>;
	private rest = Buffer.alloc(0) as Buffer;

	private constructor(child: CatFile) {
		this.child = child;
		this.child.stdin.on("error", () => {}); // then its output ends
		this.child.stderr.resume();
		this.chunks = this.child.stdout[Symbol.asyncIterator]();
	}

	static async open(tree: OpenTree, signal: AbortSignal): Promise<ContentReader> {
		return new ContentReader((await tree.start({ args: ["cat-file", "--batch"], signal })).child);
	}

	/** Undefined when there is no such content, or it cannot be read. */
	async read(id: string): Promise<Buffer | undefined> {
		this.child.stdin.write(`${id}\n`);
		const header = await this.line();
		const bytes = / blob (\d+)$/.exec(header ?? "")?.[1];
		if (bytes === undefined) return undefined;
		const content = await this.exactly(Number(bytes) + 1); // a line feed follows
		return content?.subarray(0, -1);
	}

	/** Once is enough; afterwards nothing is read. */
	close(): void {
		this.child.stdin.end();
		this.child.stdout.destroy();
	}

	private async line(): Promise<string | undefined> {
		for (;;) {
			const end = this.rest.indexOf("\n");
			if (end >= 0) return (await this.exactly(end + 1))?.subarray(0, -1).toString("latin1");
			if (!(await this.more())) return undefined;
		}
	}

	private async exactly(bytes: number): Promise<Buffer | undefined> {
		const parts = [this.rest];
		for (let have = this.rest.length; have < bytes; ) {
			this.rest = Buffer.alloc(0);
			if (!(await this.more())) return undefined;
			parts.push(this.rest);
			have += this.rest.length;
		}
		const all = parts.length === 1 ? this.rest : Buffer.concat(parts);
		this.rest = all.subarray(bytes);
		return all.subarray(0, bytes);
	}

	private async more(): Promise<boolean> {
		try {
			const { done, value } = await this.chunks.next();
			if (done === true) return false;
			this.rest = this.rest.length === 0 ? value : Buffer.concat([this.rest, value]);
			return true;
		} catch {
			return false;
		}
	}
}

/**
 * Changes single files of a tree, and nothing outside of it: each directory on the way is opened in the one above it, and none
 * is a link, so that no rename leads elsewhere. Node can do that by way of /proc alone; where there is none the names are used.
 */

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW } = constants;

/** A name in an open directory, as paths for calls of the system, which are good while that is open. */
export interface Place {
	readonly path: Buffer;
	/** Of another name in the same directory. */
	readonly temporary: Buffer;
}

interface How<T> {
	/** Makes the directories on the way that are missing. */
	readonly makes: boolean;
	/** A name that nothing has. */
	readonly temporary: string;
	readonly act: (place: Place) => T;
}

/** Throws the system's error when a directory on the way is none, or is missing. */
export function within<T>(top: string, path: string, { makes, temporary, act }: How<T>): T {
	const names = path.split("/").map((name) => Buffer.from(name, "latin1"));
	const last = names.pop() ?? Buffer.alloc(0);
	let above = Buffer.from(top) as Buffer;
	let open = openSync(above, O_RDONLY | O_DIRECTORY);
	const inOpen = (name: Buffer) => {
		const here = `/proc/self/fd/${open}`;
		return under(existsSync(here) ? Buffer.from(here) : above, name);
	};
	try {
		for (const name of names) {
			const directory = inOpen(name);
			if (makes && stampAt(directory) === undefined) mkdirSync(directory);
			const inner = openSync(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
			closeSync(open);
			open = inner;
			above = under(above, name);
		}
		return act({ path: inOpen(last), temporary: inOpen(Buffer.from(temporary)) });
	} finally {
		closeSync(open);
	}
}

function under(directory: Buffer, name: Buffer): Buffer {
	return Buffer.concat([directory, Buffer.from("/"), name]);
}

/** What stands at a path. `text` tells whether it is the same, unchanged. */
interface Stamp {
	readonly is: "file" | "link" | "directory" | "other";
	readonly text: string;
	readonly uid: number;
	readonly gid: number;
}

/** Undefined: nothing. */
export function stampAt(path: Buffer): Stamp | undefined {
	const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
	if (stats === undefined) return undefined;
	const { dev, ino, size, mode, mtimeNs, ctimeNs, uid, gid } = stats;
	const is = stats.isFile() ? "file" : stats.isSymbolicLink() ? "link" : stats.isDirectory() ? "directory" : "other";
	const text = [dev, ino, size, mode, mtimeNs, ctimeNs].join(" ");
	return { is, text, uid: Number(uid), gid: Number(gid) };
}

/** The content comes whole, or not at all. The owner of what is replaced stays, or it throws. */
function putFile(place: Place, bytes: Buffer, { mode, before }: { mode: number; before: Stamp | undefined }): void {
	const file = openSync(place.temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
	try {
		writeAll(file, bytes);
		const own = stampAt(place.temporary);
		if (before !== undefined && (before.uid !== own?.uid || before.gid !== own.gid))
			fchownSync(file, before.uid, before.gid);
		fchmodSync(file, mode);
		rename(place);
	} catch (error) {
		removeIfThere(place.temporary);
		throw error;
	} finally {
		closeSync(file);
	}
}

function putLink(place: Place, target: Buffer): void {
	symlinkSync(target, place.temporary);
	try {
		rename(place);
	} catch (error) {
		removeIfThere(place.temporary);
		throw error;
	}
}

function rename({ temporary, path }: Place): void {
	renameSync(temporary, path);
}

function removeIfThere(path: Buffer): void {
	try {
		unlinkSync(path);
	} catch {}
}
