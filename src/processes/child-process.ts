/** The start of other programs: where they lie, what they inherit, why they could not be started. */

import { accessSync, closeSync, constants, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ifThere } from "../core/if-there.ts";
import { absolutePath } from "../core/machine/paths.ts";

/**
 * Node's child_process, loaded when it is first asked for: it takes a millisecond, for which neither the start of a child
 * agent nor its first request should wait.
 */
export function childProcess() {
	return process.getBuiltinModule("node:child_process");
}

/** Kills what is left of the group of a process that is over: while anything in it lives, the kernel gives its number to no other process. */
export function killGroupOf(leader: number | undefined): void {
	try {
		if (leader !== undefined) process.kill(-leader, "SIGKILL");
	} catch {} // ESRCH: nothing is left
}

type StartFailure = "no_program" | "no_directory" | "not_permitted" | "other";

/** What kept a program from being started in a directory. The same code of the system stands for several reasons. */
export function startFailureOf({ code }: NodeJS.ErrnoException, cwd: string): StartFailure {
	if (code === "EACCES") return "not_permitted";
	if (code !== "ENOENT" && code !== "ENOTDIR") return "other";
	return statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true ? "no_program" : "no_directory";
}

/** The path of the first program of that name in the absolute directories of `path`, which is written as PATH is; undefined when there is none. */
export function findProgram(name: string, path: string | undefined): string | undefined {
	return placesOf(name, path).find(isProgram);
}

/** For a start. Of a program that is nowhere: the first path at which it could be, so that the start says what is wrong. */
export function programToStart(name: string, path: string | undefined): string {
	return findProgram(name, path) ?? placesOf(name, path)[0] ?? name;
}

function placesOf(name: string, path: string | undefined): string[] {
	return absolutePath(path)
		.split(":")
		.map((place) => join(place, name));
}

function isProgram(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}

/** Node keeps the files up to the first gap from here on from the programs that it starts, and hands on those behind it. */
const FIRST_HANDED_ON = 16;
const O_CLOEXEC = 0o2000000; // on Linux; Node opens its own files with it

/**
 * Closes files that the next program would inherit, beside stdin, stdout and stderr: whoever started this process had them open, as a lock, a
 * log, a secret. Where there is no /proc, nothing.
 */
export function closeInheritedFiles(): void {
	for (const name of namesIn("/proc/self/fd")) {
		const fd = Number(name);
		if (fd >= FIRST_HANDED_ON && isHandedOn(fd)) closeSync(fd);
	}
}

/** proc_pid_fdinfo(5): `flags:	02100000` */
function isHandedOn(fd: number): boolean {
	try {
		const [, flags = ""] = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1")) ?? [];
		return flags !== "" && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
	} catch {
		return false; // it was that of the listing, and is closed
	}
}

function namesIn(directory: string): string[] {
	return ifThere(() => readdirSync(directory)) ?? [];
}
