/** What an agent gives a file, on stdin. */
import { isUtf8 } from "node:buffer";
import { AgentreeError } from "../../core/errors.ts";
import { mayDeliver } from "../../terminal/stdin.ts";

const MOST_BYTES = 64 * 1024 * 1024;

/**
 * `what` stdin has to have, in words. Throws AgentreeError("usage") for what is no text, and for a stdin like that of each command
 * of an agent, which is empty: a file would be, too, when the text was forgotten.
 */
export async function givenText(what: string): Promise<string> {
	if (!mayDeliver())
		throw usage(`stdin is neither a file nor a pipe: pass ${what} on stdin, for example with a here-document`);
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of process.stdin) {
		chunks.push(chunk as Buffer);
		bytes += (chunk as Buffer).length;
		if (bytes > MOST_BYTES) throw usage(`stdin has more than ${MOST_BYTES / 1024 / 1024} MiB`);
	}
	const given = Buffer.concat(chunks);
	if (!isUtf8(given)) throw usage("stdin is not UTF-8; write such a file with cat");
	return given.toString("utf8");
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
