/** A note between two messages of a transcript: a line that says what happened, and below it the text of the note. */

import type { NoteEntry } from "../../core/transcript.ts";
import { describeNote } from "../../text/notes.ts";
import { cleanText } from "../../text/terminal-safe.ts";
import type { Tone } from "../scene/line.ts";
import { type Block, GAP, proseBlocks } from "./block.ts";

const MARKS: Record<NoteEntry["note"], readonly [mark: string, tone: Tone]> = {
	call: ["↻ ", "dim"],
	compaction: ["═ ", "warn"],
	resumed: ["═ ", "warn"],
};

const cache = new WeakMap<NoteEntry, Block[]>();

/** A note always has the same blocks, so that block-window.ts can keep their wrapped lines. */
export function noteBlocks(note: NoteEntry): Block[] {
	let blocks = cache.get(note);
	if (blocks === undefined) {
		const [mark, tone] = MARKS[note.note];
		const line = { text: cleanText(describeNote(note)), tone, mark, bar: "  " };
		blocks = [line, ...proseBlocks(textBelow(note), "dim", "  "), GAP];
		cache.set(note, blocks);
	}
	return blocks;
}

function textBelow(note: NoteEntry): string {
	switch (note.note) {
		case "call":
			return note.outcome === "retried" || note.outcome === "compaction" ? "" : (note.partial ?? "");
		case "compaction":
			return note.summary;
		case "resumed":
			return "";
	}
}
