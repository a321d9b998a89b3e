/**
 * Prints without touching process.stdout: Node would set the pipe to non-blocking, which every other program of the
 * same command shares with us, and `cat` beside us would fail with EAGAIN. The write blocks a thread, not the process.
 */
import { write, writeSync } from "node:fs";
import { promisify } from "node:util";

const writeSome = promisify(write);
const RETRY_MS = 5;

/** All of it, however slow the reader. Resolves to false when nobody reads any more (`| head -1`). */
export async function print(fd: number, text: string): Promise<boolean> {
	let rest = Buffer.from(text, "utf8");
	while (rest.length > 0) {
		try {
			const { bytesWritten } = await writeSome(fd, rest);
			rest = rest.subarray(bytesWritten);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return false;
			await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
		}
	}
	return true;
}

/** An answer ends with a newline, so that answers of several agents stand apart; what a command printed stays as it is. */
export function printable(answer: string, model: string): string {
	return model === "shell" || answer.endsWith("\n") ? answer : `${answer}\n`;
}

/** One line on stderr; if that is gone, too, there is nobody to tell. */
export function complain(line: string): void {
	try {
		writeSync(2, `${line}\n`);
	} catch {}
}
