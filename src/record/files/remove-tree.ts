/**
 * Removes a directory in which commands may have put anything: modes that let nobody in, links, trees deeper than a path may be
 * long, names that are no text. No link is followed. Each directory is moved to the top before it is looked into: so no
 * path is long, and one on which a file system is mounted, which cannot be moved, is not emptied.
 */
import {
	type BigIntStats,
	chmodSync,
	type Dirent,
	lstatSync,
	readdirSync,
	renameSync,
	rmdirSync,
	unlinkSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { directoriesIn, namesIn } from "./regular-file.ts";

/** What lies below a directory takes on the disk. `isWhole`: false where not all of it could be looked at. */
export interface TreeSize {
	readonly bytes: number;
	readonly isWhole: boolean;
}

/** A file counts when all of its names are below the directory. */
export function sizeOfTree(top: string): TreeSize {
	let bytes = 0;
	let isWhole = true;
	const seen = new Map<string, bigint>(); // names of files that have several
	const isLastName = ({ dev, ino, nlink }: BigIntStats) => {
		if (nlink === 1n) return true;
		const names = (seen.get(`${dev}:${ino}`) ?? 0n) + 1n;
		seen.set(`${dev}:${ino}`, names);
		return names === nlink;
	};
	const waiting: Buffer[] = [Buffer.from(top)];
	for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
		try {
			const found = lstatSync(path, { bigint: true });
			if (found.isDirectory() || isLastName(found)) bytes += bytesOf(found);
			if (found.isDirectory()) for (const { name } of entriesOf(path)) waiting.push(below(path, name));
		} catch {
			isWhole = false; // nobody may look into it, or its path is too long
		}
	}
	return { bytes, isWhole };
}

export interface RemovedTree {
	/** What the files took on the disk; a file that has another name somewhere else frees nothing. */
	readonly bytes: number;
	/** How many entries could not be removed. */
	readonly left: number;
	/** Why, of the first one: an errno, and its path. */
	readonly first?: { readonly code: string; readonly path: string };
}

/** `mark`: a text that no name in the directory begins with, for what is moved. Of what is no directory nothing is removed. */
export function removeTree(top: string, mark: string): RemovedTree {
	const removal = new Removal(top, mark);
	removal.run();
	return removal.result();
}

/**
 * Removes what lies in the directories of `top`, many at once, since some file systems wait for the disk at each directory. What it cannot
 * remove it leaves. By paths: only for when nobody can put a link into one any more.
 */
export async function emptyDirectoriesIn(top: string): Promise<void> {
	const within = directoriesIn(top).flatMap((directory) => namesIn(directory).map((name) => join(directory, name)));
	await Promise.all(within.map((path) => rm(path, { recursive: true, force: true }).catch(() => {})));
}

const OPEN = 0o700;
const BLOCK_BYTES = 512; // of st_blocks, whatever the file system's own are

class Removal {
	private bytes = 0;
	private left = 0;
	private first: RemovedTree["first"];
	private moved = 0;
	private readonly waiting: string[] = [];
	private readonly top: string;
	private readonly mark: string;

	constructor(top: string, mark: string) {
		this.top = top;
		this.mark = mark;
	}

	run(): void {
		if (lstatSync(this.top, { throwIfNoEntry: false })?.isDirectory() !== true) return;
		this.empty(this.top);
		for (let next = this.waiting.pop(); next !== undefined; next = this.waiting.pop()) {
			this.empty(next);
			this.attempt(next, () => rmdirSync(next));
		}
		if (this.left === 0) this.attempt(this.top, () => rmdirSync(this.top));
	}

	result(): RemovedTree {
		const { bytes, left, first } = this;
		return { bytes, left, ...(first !== undefined && { first }) };
	}

	private empty(directory: string): void {
		this.attempt(directory, () => {
			chmodSync(directory, OPEN);
			this.bytes += bytesOf(lstatSync(directory, { bigint: true }));
			for (const entry of entriesOf(directory)) this.takeOut(directory, entry);
		});
	}

	private takeOut(directory: string, entry: Dirent<Buffer>): void {
		const path = below(Buffer.from(directory), entry.name);
		this.attempt(path.toString(), () => {
			const found = lstatSync(path, { bigint: true });
			if (found.isDirectory()) return this.moveUp(path, found);
			unlinkSync(path);
			if (found.nlink === 1n) this.bytes += bytesOf(found);
		});
	}

	/** Who moves a directory to another one has to be let write in it. */
	private moveUp(path: Buffer, { dev }: BigIntStats): void {
		if (dev !== lstatSync(this.top, { bigint: true }).dev) throw Object.assign(new Error("mounted"), { code: "EXDEV" });
		const moved = `${this.top}/${this.mark}${++this.moved}`;
		chmodSync(path, OPEN);
		renameSync(path, moved);
		this.waiting.push(moved);
	}

	private attempt(path: string, act: () => void): void {
		try {
			act();
		} catch (error) {
			const { code = String(error) } = error as NodeJS.ErrnoException;
			if (code === "ENOENT") return; // somebody else has removed it
			if (code === "ENOTEMPTY" && this.left > 0) return; // what is left in it has been counted
			this.left++;
			this.first ??= { code, path };
		}
	}
}

function below(directory: Buffer, name: Buffer): Buffer {
	return Buffer.concat([directory, Buffer.from("/"), name]);
}

function entriesOf(directory: string | Buffer): Dirent<Buffer>[] {
	return readdirSync(directory, { withFileTypes: true, encoding: "buffer" });
}

function bytesOf({ blocks }: BigIntStats): number {
	return Number(blocks) * BLOCK_BYTES;
}
