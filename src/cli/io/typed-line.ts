/** Lines that a person types as answers. */
import { closeSync, openSync, readSync } from "node:fs";
import { isInForeground } from "../../processes/foreground.ts";
import { print } from "../../terminal/print.ts";

const TERMINAL = "/dev/tty";
const MAX_BYTES = 1024;

export interface TypedLines {
	/** Prints the question, and waits for a line, however long that takes; Ctrl-C ends the process. Undefined at the end of input. */
	ask(question: string): Promise<string | undefined>;
	close(): void;
}

/** True when there is a person to ask: a process in the background that reads from the terminal would be stopped. */
export function canAsk(): boolean {
	const { stdin, stderr } = process;
	return stdin.isTTY === true && stderr.isTTY === true && isInForeground();
}

/** Not from stdin: a stream of that would take in more than the answer. Undefined where no terminal controls this process. */
export function openTypedLines(): TypedLines | undefined {
	let terminal: number;
	try {
		terminal = openSync(TERMINAL, "r");
	} catch {
		return undefined;
	}
	return {
		ask: async (question) => {
			await print(2, question);
			const bytes = Buffer.alloc(MAX_BYTES); // a terminal gives a line at a time
			const length = readSync(terminal, bytes, 0, bytes.length, null);
			if (length > 0) return bytes.toString("utf8", 0, length);
			await print(2, "\n"); // nobody has ended the question's line
			return undefined;
		},
		close: () => closeSync(terminal),
	};
}
