/** `agent edit FILE`: texts of a file replaced by blocks from stdin, for agents, which make mistakes with sed. */
import type { Command } from "../../config/command-table.ts";
import { EXIT } from "../../core/exit-code.ts";
import { applyBlocks } from "../edit/apply-blocks.ts";
import { differenceOf } from "../edit/difference.ts";
import { type EditBlock, readBlocks } from "../edit/edit-blocks.ts";
import { type Change, editFile } from "../edit/edit-file.ts";
import type { FileText } from "../edit/file-text.ts";
import { givenText } from "../edit/given-text.ts";
import type { Io } from "../io/io.ts";
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
			io.stdout(edited.before === edited.after ? `${name} has the new text already\n` : differenceOf(name, edited));
			return EXIT.answer;
	}
}

function changeBy(blocks: readonly EditBlock[]): Change {
	return (file) => {
		if (file === undefined) return { why: "there is no such file; agent write makes one" };
		const applied = applyBlocks(
			file.text,
			blocks.map((block) => inOwn(block, file)),
		);
		if (applied.is === "changed") return applied;
		const why = file.isByteForByte ? `${applied.why}\n${BYTE_FOR_BYTE}` : applied.why;
		return { why: blocks.length === 1 ? why : `in the block of line ${applied.line} of stdin, ${why}` };
	};
}

const BYTE_FOR_BYTE = "the file is not UTF-8: lines with other characters than those of ASCII do not fit";

function inOwn(block: EditBlock, { own }: FileText): EditBlock {
	return { ...block, old: block.old.map(own), new: block.new.map(own) };
}

function refuse(name: string, why: string, io: Io): number {
	for (const line of `agent: ${name}: ${why}\nagent: nothing was changed`.split("\n")) io.stderr(`${line}\n`);
	return EXIT.failure;
}
