/** `agent edit FILE`: texts of a file replaced by blocks from stdin, for agents, which make mistakes with sed. */

import { EXIT } from "../../core/errors.ts";
import type { Io } from "../../faces/print/io.ts";
import type { Command } from "../../project/config/command-table.ts";
import { applyBlocks } from "../edit/apply-blocks.ts";
import { differenceOf } from "../edit/difference.ts";
import { type EditBlock, readBlocks } from "../edit/edit-blocks.ts";
import { type Change, editFile, refusalLines } from "../edit/edit-file.ts";
import { givenText } from "../edit/given-text.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([file = ""]) => withProcessIo((io) => edit(file, io));

async function edit(name: string, io: Io): Promise<number> {
	const read = readBlocks(await givenText("blocks of old and new text"));
	if (read.is === "wrong") return refuse(name, read.why, io);
	const edited = await editFile(name, changeBy(read.blocks), io.now);
	switch (edited.is) {
		case "refused":
			return refuse(name, edited.why, io);
		case "made":
			return EXIT.answer;
		case "changed":
			io.stdout(edited.before === edited.after ? `${name} already has the new text\n` : differenceOf(name, edited));
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

function refuse(name: string, why: string, io: Io): number {
	for (const line of refusalLines(name, why)) io.stderr(line);
	return EXIT.failure;
}
