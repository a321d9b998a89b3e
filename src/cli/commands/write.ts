/** `agent write FILE`: stdin as a whole file. The encoding and the line ends of one that is there stay. */

import { EXIT } from "../../core/errors.ts";
import type { Io } from "../../faces/print/io.ts";
import type { Command } from "../../project/config/command-table.ts";
import { differenceOf } from "../edit/difference.ts";
import { type Change, editFile, refusalLines } from "../edit/edit-file.ts";
import type { FileText } from "../edit/file-text.ts";
import { givenText } from "../edit/given-text.ts";
import { linesOf, withEndsOf } from "../edit/text-lines.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([file = ""]) => withProcessIo((io) => write(file, io));

async function write(name: string, io: Io): Promise<number> {
	const given = await givenText("the file's content");
	const edited = await editFile(name, (file) => (file === undefined ? { text: given } : asIn(file, given)), io.now);
	if (edited.is === "refused") {
		for (const line of refusalLines(name, edited.why)) io.stderr(line);
		return EXIT.failure;
	}
	if (edited.is === "made") io.stdout(`created ${name} (${counted(linesOf(edited.after).length)})\n`);
	else io.stdout(edited.before === edited.after ? `${name} already has this content\n` : differenceOf(name, edited));
	return EXIT.answer;
}

function asIn({ whyNot, text, hasMark }: FileText, given: string): ReturnType<Change> {
	const own = hasMark ? given.replace(/^\ufeff/, "") : given;
	const why = whyNot(own);
	return why === undefined ? { text: withEndsOf(own, text) } : { why };
}

function counted(lines: number): string {
	return lines === 1 ? "1 line" : `${lines} lines`;
}
