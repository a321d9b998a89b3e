/** What a person said first in a run, from the beginning of its root's transcript. */
import { closeSync, readSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import { openRegular } from "../../record/files/regular-file.ts";
import { parseEntry } from "../../record/read-events.ts";
import { transcriptPath } from "../../record/run-directory.ts";
import { saidByPerson } from "./person-messages.ts";
import type { Session } from "./session.ts";

const MAX_BYTES = 64 * 1024; // of a transcript: a search reads that of each run

/** One after the other, a line feed between them; empty where nothing can be read. */
export function firstMessages({ directory }: Pick<Session, "directory">): string {
	const lines = beginningOf(transcriptPath(directory, ROOT)).split("\n").slice(0, -1);
	return lines
		.flatMap((line) => {
			const entry = parseEntry(line);
			return entry?.role === "user" ? saidByPerson(entry) : [];
		})
		.join("\n");
}

function beginningOf(path: string): string {
	let file: number | undefined;
	try {
		file = openRegular(path);
		if (file === undefined) return "";
		const bytes = Buffer.allocUnsafe(MAX_BYTES);
		return bytes.toString("utf8", 0, readSync(file, bytes, 0, MAX_BYTES, 0));
	} catch (error) {
		if (error instanceof AgentreeError) return "";
		throw error;
	} finally {
		if (file !== undefined) closeSync(file);
	}
}
