/**
 * Opening of files in directories where a command may have put anything: a link, a FIFO, a device, a directory. No link is
 * followed, neither the file nor a directory on the way, and nobody waits for the other end of a FIFO.
 */
import {
	closeSync,
	constants,
	existsSync,
	fchmodSync,
	fstatSync,
	lstatSync,
	mkdirSync,
	openSync,
	unlinkSync,
} from "node:fs";
import { join } from "node:path";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Opens the regular file `path` below the directory `root` for reading; undefined for a link and for what is no regular
 * file. Throws the system's error when there is nothing, or it may not be read.
 */
export function openRegularWithin(root: string, path: string): number | undefined {
	try {
		const file = inDirectoryOf(root, path, (place) => openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
		if (fstatSync(file).isFile()) return file;
		closeSync(file);
		return undefined;
	} catch (error) {
		if (LINK_ERRORS.includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
		throw error;
	}
}

const LINK_ERRORS = ["ELOOP", "ENOTDIR"]; // open(2) with O_NOFOLLOW, and with O_DIRECTORY beside it

/** Makes a new file `path` below `root`, with mode 0600, in place of whatever is there. Throws the system's error. */
export function createWithin(root: string, path: string): number {
	return inDirectoryOf(root, path, (place) => {
		const file = createIn(place);
		fchmodSync(file, 0o600); // whatever the umask
		return file;
	});
}

/** Makes the directories of `path` below `root` that are missing, with mode 0700, in place of links and files. Throws the system's error. */
export function makeDirectoriesWithin(root: string, path: string): void {
	inDirectoryOf(root, path, makeDirectory, openOrMakeDirectory);
}

function openOrMakeDirectory(place: string): number {
	try {
		return openDirectory(place);
	} catch (error) {
		if (!["ENOENT", ...LINK_ERRORS].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
		makeDirectory(place);
		return openDirectory(place);
	}
}

function openDirectory(place: string): number {
	return openSync(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

function makeDirectory(place: string): void {
	const make = () => mkdirSync(place, { mode: 0o700 });
	try {
		make();
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		if (lstatSync(place).isDirectory()) return;
		unlinkSync(place);
		make();
	}
}

function createIn(place: string): number {
	const create = () => openSync(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK, 0o600);
	try {
		return create();
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		unlinkSync(place);
		return create();
	}
}

/**
 * Gives `act` a path to the file that no rename of a directory can lead elsewhere: each directory is opened in the one above
 * it by `openNext`, which Node can do by way of /proc alone. Where there is no /proc the path's names are used.
 */
export function inDirectoryOf<T>(
	root: string,
	path: string,
	act: (place: string) => T,
	openNext: (place: string) => number = openDirectory,
): T {
	const names = path.split("/");
	const name = names.pop() ?? "";
	let directory = root;
	let open = openSync(root, O_RDONLY | O_DIRECTORY);
	try {
		for (const next of names) {
			directory = join(directory, next);
			const inner = openNext(childOf(open, directory, next));
			closeSync(open);
			open = inner;
		}
		return act(childOf(open, join(directory, name), name));
	} finally {
		closeSync(open);
	}
}

function childOf(open: number, path: string, name: string): string {
	const here = `/proc/self/fd/${open}`;
	return existsSync(here) ? `${here}/${name}` : path;
}
