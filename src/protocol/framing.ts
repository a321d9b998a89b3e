/**
 * One JSON object a line, UTF-8. A line may be as long as an answer may be (an agent can print 64 MiB), so chunks are
 * kept apart until the line is whole: joining strings as they come would copy the line once a chunk.
 */
const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 400 * 1024 * 1024; // a JavaScript string holds 512 MiB

export function encode(message: object): string {
	return `${JSON.stringify(message)}\n`;
}

/** Gives each whole line to `onLine`. The reader returns false once a line is too long: it can be read no further. */
export function lineReader(onLine: (line: string) => void): (chunk: Buffer) => boolean {
	let kept: Buffer[] = [];
	let keptBytes = 0;
	return (chunk) => {
		let from = 0;
		for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
			kept.push(chunk.subarray(from, at));
			const line = Buffer.concat(kept).toString("utf8");
			kept = [];
			keptBytes = 0;
			from = at + 1;
			onLine(line);
		}
		if (from === chunk.length) return true;
		kept.push(chunk.subarray(from));
		keptBytes += chunk.length - from;
		return keptBytes <= MAX_LINE_BYTES;
	};
}
