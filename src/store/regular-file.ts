/** Opening of files for reading, with what goes wrong as one line that says what to do. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { adviceToPerson } from "../core/errno-advice.ts";
import { AgentreeError } from "../core/errors.ts";

/**
 * Undefined when there is no such file. Throws AgentreeError("not_found") when it may not be read or is no regular
 * file: opening a FIFO without O_NONBLOCK waits for a writer, for ever.
 */
export function openRegular(path: string): number | undefined {
	let file: number;
	try {
		file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw notReadable(path, adviceFor(code ?? String(error)));
	}
	const found = fstatSync(file);
	if (found.isFile()) return file;
	closeSync(file);
	throw notReadable(path, found.isDirectory() ? "it is a directory" : "it is not a regular file");
}

/** As `openRegular`; a missing file is an error, too. */
export function readText(path: string): string {
	const file = openRegular(path);
	if (file === undefined) throw notReadable(path, "there is no such file (ENOENT)");
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		throw notReadable(path, adviceFor((error as NodeJS.ErrnoException).code ?? String(error)));
	} finally {
		closeSync(file);
	}
}

export function notReadable(path: string, why: string): AgentreeError {
	return new AgentreeError("not_found", `cannot read ${path}: ${why}`);
}

export function adviceFor(code: string): string {
	return adviceToPerson(code) ?? code;
}
