/** FIFOs: the pipes that have a name. Node makes only socket pairs, so a program of the system makes them. */

import { shortageOf } from "../core/machine/errno-advice.ts";
import { SYSTEM_PATH } from "../core/machine/paths.ts";
import { childProcess } from "./child-process.ts";

/** Why FIFOs could not be made, in words for the model; `isShortage`: for now only, since the system has too little left. */
export interface FifoFailure {
	readonly reason: string;
	readonly isShortage: boolean;
}

/** Makes all of them with mode 0600, in one process, some 2 ms. Never rejects. */
export function makeFifos(paths: readonly string[]): Promise<FifoFailure | undefined> {
	return new Promise((resolve) => {
		const fail = (error: NodeJS.ErrnoException) => resolve(fifoFailure(error));
		try {
			const child = childProcess().spawn("mkfifo", ["-m", "600", "--", ...paths], {
				stdio: "ignore",
				env: { PATH: SYSTEM_PATH },
			});
			child.once("error", fail);
			child.once("exit", (code, signal) =>
				resolve(code === 0 ? undefined : { reason: `mkfifo: ${signal ?? `exit status ${code}`}`, isShortage: false }),
			);
		} catch (error) {
			fail(error as NodeJS.ErrnoException);
		}
	});
}

/** Why FIFOs could not be made, from the error of a start or of a file. */
export function fifoFailure(error: NodeJS.ErrnoException): FifoFailure {
	const shortage = shortageOf(error);
	if (shortage !== undefined) return { reason: shortage, isShortage: true };
	const isMissing = error.code === "ENOENT" && error.syscall?.startsWith("spawn") === true;
	return {
		reason: isMissing ? "mkfifo (coreutils) was not found in the system's directories" : error.message,
		isShortage: false,
	};
}
