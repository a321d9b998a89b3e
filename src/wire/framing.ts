/** One JSON object a line, UTF-8. */
import { LineSplitter } from "../text/width/lines.ts";

const MAX_LINE_BYTES = 400 * 1024 * 1024; // a JavaScript string holds 512 MiB

export function encode(message: object): string {
	return `${JSON.stringify(message)}\n`;
}

/** Gives each whole line to `onLine`. The reader returns false once a line is too long: it can be read no further. */
export function lineReader(onLine: (line: string) => void): (chunk: Buffer) => boolean {
	const splitter = new LineSplitter();
	return (chunk) => {
		for (const line of splitter.push(chunk)) onLine(line);
		return splitter.restBytes <= MAX_LINE_BYTES;
	};
}
