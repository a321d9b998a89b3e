/** A note between two messages of a transcript: a line that says what happened, and below it the text of the note. */

import type { NoteEntry } from "../../core/transcript.ts";
import { clockTime } from "../../events/event-text.ts";
import { describeNote } from "../../text/notes.ts";
import type { Tone } from "../scene/line.ts";
import { type Block, lineBlock, textBlocks } from "./block.ts";

const MARKS: Record<NoteEntry["note"], readonly [mark: string, tone: Tone]> = {
	call: ["↻ ", "dim"],
	compaction: ["═ ", "warn"],
	resumed: ["═ ", "warn"],
};

/** `isKnown`: of a call that its turn tells; then only what had come of the answer is new. */
export function noteBlocks(key: string, note: NoteEntry, isKnown: boolean): Block[] {
	const [mark, tone] = MARKS[note.note];
	const text = textBlocks(`${key}.text`, textBelow(note), { tone: "dim", mark: "  ", hasGap: true });
	if (isKnown && text.length === 0) return [];
	const what = isKnown ? "what had come of the answer:" : describeNote(note);
	const right = clockTime(note.at).slice(0, 8);
	return [lineBlock(key, what, tone, { mark, right, hasGap: text.length === 0 }), ...text];
}

function textBelow(note: NoteEntry): string {
	switch (note.note) {
		case "call":
			return note.outcome === "compaction" ? "" : (note.partial ?? "");
		case "compaction":
			return note.summary;
		case "resumed":
			return "";
	}
}
