/** A note between two messages of a transcript: a line that says what happened, and below it the text of the note. */

import type { NoteEntry } from "../../core/transcript.ts";
import type { StoryItem } from "../../events/agent-story.ts";
import { shortTime } from "../../events/clock-time.ts";
import { describeNote } from "../../text/notes.ts";
import type { Tone } from "../scene/line.ts";
import { type Block, lineBlock, textBlocks } from "./block.ts";
import { noteTextKey } from "./place-keys.ts";

const MARKS: Record<NoteEntry["note"], readonly [mark: string, tone: Tone]> = {
	call: ["↻ ", "dim"],
	compaction: ["═ ", "warn"],
	resumed: ["═ ", "warn"],
	forked: ["═ ", "warn"],
	changed: ["═ ", "warn"],
};

type ToldNote = Extract<StoryItem, { is: "note" }>;

/** Of a call that its turn tells, too, only what had come of the answer is new. */
export function noteBlocks(key: string, { note, isKnown }: ToldNote, isMarkdown: boolean): Block[] {
	const [mark, tone] = MARKS[note.note];
	const form = isMarkdown ? "markdown" : undefined;
	const text = textBlocks(noteTextKey(key), textBelow(note), { tone: "dim", mark: "  ", form, hasGap: true });
	if (isKnown && text.length === 0) return [];
	const what = isKnown ? "what had come of the answer:" : describeNote(note);
	const right = shortTime(note.at);
	return [lineBlock(key, what, tone, { mark, right, hasGap: text.length === 0 }), ...text];
}

function textBelow(note: NoteEntry): string {
	switch (note.note) {
		case "call":
			return note.outcome === "compaction" ? "" : (note.partial ?? "");
		case "compaction":
			return note.summary;
		case "forked":
		case "changed":
		case "resumed":
			return "";
	}
}
