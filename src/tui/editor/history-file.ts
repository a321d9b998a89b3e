/** The messages that were sent from a directory, by all conversations there: a file in the state directory, bounded. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { makePrivateDirectory } from "../../record/files/private-files.ts";
import { appendShared, oldName, readShared, rotateShared } from "../../record/shared-lines.ts";
import { isKept, MOST_ENTRIES } from "./editor.ts";

/** Of the file, and of the one before it, which is read, too. */
const MOST_BYTES = 512 * 1024;

export class HistoryFile {
	readonly #directory: string;
	readonly #folder: string;
	readonly #path: string;
	readonly #now: () => number;
	#newest: string | undefined;

	/** `home`: the state directory. `directory`: where the conversation is. */
	constructor(home: string, directory: string, now: () => number) {
		this.#directory = directory;
		this.#folder = join(home, "history");
		this.#path = join(this.#folder, `${createHash("sha256").update(directory).digest("hex").slice(0, 32)}.jsonl`);
		this.#now = now;
	}

	/** The oldest first. What is damaged is skipped, and what cannot be read is no history. */
	read(): string[] {
		const entries: string[] = [];
		for (const path of [oldName(this.#path), this.#path])
			for (const line of readShared(path, MOST_BYTES)) {
				const { text } = Object(line) as { text?: unknown };
				if (typeof text === "string" && isKept(entries, text)) entries.push(text);
			}
		this.#newest = entries.at(-1);
		return entries.slice(-MOST_ENTRIES);
	}

	/** Keeps a message that was sent, unless it is one that the history does not keep. Returns why it could not be written. */
	append(text: string): string | undefined {
		if (!isKept(this.#newest === undefined ? [] : [this.#newest], text)) return undefined;
		this.#newest = text;
		try {
			makePrivateDirectory(this.#folder);
			rotateShared(this.#path, MOST_BYTES);
			appendShared(this.#path, { at: this.#now(), directory: this.#directory, text });
			return undefined;
		} catch (error) {
			if (error instanceof AgentreeError) return error.message;
			throw error;
		}
	}
}
