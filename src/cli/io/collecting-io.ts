/** What a command of the program prints, as text for who has asked for it. */

import type { Io } from "../../faces/print/io.ts";
import { formerDirectory } from "../../project/config/working-directory.ts";

export interface CollectedIo {
	readonly io: Io;
	/** What was printed so far, on stdout and stderr. */
	readonly text: () => string;
}

/** Collects what a command prints. `columns`: its lines are cut there. */
export function collectingIo(host: Pick<Io, "env" | "now">, columns: number): CollectedIo {
	let text = "";
	const take = (more: string) => {
		text += more;
	};
	const { env, now } = host;
	const io: Io = {
		...{ env, now, cwd: formerDirectory(process, env.PWD), uid: process.getuid?.() ?? 0 },
		...{ stdout: take, stderr: take, isTTY: false, columns },
	};
	return { io, text: () => text.replace(/\n$/, "") };
}
