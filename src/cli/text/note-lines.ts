/** The notes between the messages of a transcript, as `agent show` prints them. Pure. */

import type { NoteEntry } from "../../core/transcript.ts";
import { clockTime } from "../../events/event-text.ts";
import { describeNote } from "../../text/notes.ts";
import type { Paint } from "./paint.ts";
import { linesOf } from "./text-lines.ts";

/** A call is one dim line. A compaction is a mark that is not overlooked, with the summary below. */
export function noteLines(note: NoteEntry, paint: Paint): string[] {
	const line = `${clockTime(note.at).slice(0, 8)}  ${describeNote(note)}`;
	switch (note.note) {
		case "call": {
			const isWordless = note.outcome === "retried" || note.outcome === "compaction";
			return [paint.dim(`-- ${line}`), ...(isWordless ? [] : below(note.partial ?? "", paint))];
		}
		case "compaction":
			return ["", paint.bold(`== ${line} ==`), ...below(note.summary, paint)];
		case "resumed":
			return ["", paint.bold(`== ${line} ==`)];
	}
}

function below(text: string, paint: Paint): string[] {
	return linesOf(text).map((line) => paint.dim(`   ${line}`));
}
