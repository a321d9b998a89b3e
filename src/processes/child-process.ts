import { statSync } from "node:fs";

/**
 * Node's child_process, loaded when it is first asked for: it takes a millisecond, for which neither the start of a child
 * agent nor its first request should wait.
 */
export function childProcess() {
	return process.getBuiltinModule("node:child_process");
}

/** What kept a program from being started in a directory. The same code of the system stands for the one and the other. */

type StartFailure = "no_program" | "no_directory" | "not_permitted" | "other";

export function startFailureOf({ code }: NodeJS.ErrnoException, cwd: string): StartFailure {
	if (code === "EACCES") return "not_permitted";
	if (code !== "ENOENT" && code !== "ENOTDIR") return "other";
	return statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true ? "no_program" : "no_directory";
}
