/** `agent write FILE`: stdin as a whole file. The encoding and the line ends of one that is there stay. */
import { buffer } from "node:stream/consumers";
import type { Command } from "../../config/command-table.ts";
import { AgentreeError } from "../../core/errors.ts";
import { EXIT } from "../../core/exit-code.ts";
import { differenceOf } from "../edit/difference.ts";
import { editFile } from "../edit/edit-file.ts";
import { linesOf, withEndsOf } from "../edit/text-lines.ts";
import type { Io } from "../io/io.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([file = ""]) => withProcessIo((io) => write(file, io));

async function write(name: string, io: Io): Promise<number> {
	if (process.stdin.isTTY) throw new AgentreeError("usage", "agent write reads the file's content from stdin");
	const bytes = await buffer(process.stdin);
	const given = bytes.toString("utf8");
	if (!Buffer.from(given, "utf8").equals(bytes))
		throw new AgentreeError("usage", "stdin is not UTF-8; write such a file with cat");
	const edited = await editFile(name, (file) => ({
		text: file === undefined ? given : withEndsOf(file.own(given), file.text),
	}));
	if (edited.is === "made") io.stdout(`made ${name} (${counted(linesOf(edited.after).length)})\n`);
	else if (edited.is === "changed")
		io.stdout(edited.before === edited.after ? `${name} has this content already\n` : differenceOf(name, edited));
	return EXIT.answer;
}

function counted(lines: number): string {
	return lines === 1 ? "1 line" : `${lines} lines`;
}
