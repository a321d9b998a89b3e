/** `agent edit FILE` and `agent write FILE`: for agents, which make mistakes with sed and quoting. */

import { isUtf8 } from "node:buffer";
import { AgentreeError, EXIT } from "../../core/errors.ts";
import type { Io } from "../../faces/print/io.ts";
import { mayDeliver } from "../../terminal/stdin.ts";
import { applyBlocks, type EditBlock, readBlocks } from "../edit/blocks.ts";
import { type Change, editFile } from "../edit/edit-file.ts";
import { differenceOf, type FileText, linesOf, withEndsOf } from "../edit/file-text.ts";
import type { PrintingCommand } from "../io/process-io.ts";

/** Texts of a file are replaced by blocks from stdin: all of them or none. */
export const edit: PrintingCommand = async ([name = ""], _, io) => {
	const read = readBlocks(await readGiven("blocks of old and new text"));
	if (read.is === "wrong") return refuse(name, read.why, io);
	return change(name, changeBy(read.blocks), "the new text", io);
};

/** Stdin becomes the whole file. The encoding and the line ends of one that is there stay. */
export const write: PrintingCommand = async ([name = ""], _, io) => {
	const given = await readGiven("the file's content");
	return change(name, (file) => (file === undefined ? { text: given } : asIn(file, given)), "this content", io);
};

async function change(name: string, by: Change, what: string, io: Io): Promise<number> {
	const edited = await editFile(name, by, io.now);
	switch (edited.is) {
		case "refused":
			return refuse(name, edited.why, io);
		case "made": {
			const { length } = linesOf(edited.after);
			io.stdout(`created ${name} (${length === 1 ? "1 line" : `${length} lines`})\n`);
			return EXIT.answer;
		}
		case "changed":
			io.stdout(edited.before === edited.after ? `${name} already has ${what}\n` : differenceOf(name, edited));
			return EXIT.answer;
	}
}

function changeBy(blocks: readonly EditBlock[]): Change {
	const inBlock = (line: number, why: string) =>
		blocks.length === 1 ? why : `in the block of line ${line} of stdin, ${why}`;
	return (file) => {
		if (file === undefined) return { why: "no such file; create it with agent write" };
		for (const { old, new: now, line } of blocks) {
			const why = file.whyNot([...old, ...now].join("\n"));
			if (why !== undefined) return { why: inBlock(line, why) };
		}
		const applied = applyBlocks(file.text, blocks, file.isByteForByte);
		return applied.is === "changed" ? applied : { why: inBlock(applied.line, applied.why) };
	};
}

function asIn({ whyNot, text, hasMark }: FileText, given: string): ReturnType<Change> {
	const own = hasMark ? given.replace(/^\ufeff/, "") : given;
	const why = whyNot(own);
	return why === undefined ? { text: withEndsOf(own, text) } : { why };
}

function refuse(name: string, why: string, io: Io): number {
	for (const line of `agent: ${name}: ${why}\nagent: nothing was changed`.split("\n")) io.stderr(`${line}\n`);
	return EXIT.failure;
}

const MOST_BYTES = 64 * 1024 * 1024;

/**
 * `what` stdin has to have, in words. Throws AgentreeError("usage") for what is no text, and for a stdin like that of each command
 * of an agent, which is empty: a file would be, too, when the text was forgotten.
 */
async function readGiven(what: string): Promise<string> {
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
