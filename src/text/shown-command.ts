/**
 * A command as a person reads it who has to decide about it: in one line, and with all that it says. Line ends and long gaps, behind
 * which something could stand unseen, are written out, as are characters that a terminal obeys or does not show.
 */
import { visibleCommand } from "./safe/visible.ts";

const GAP = /[ \t]{8,}/g;

/** `echo a ⏎ rm -rf b` */
export function shownCommand(command: string): string {
	return visibleCommand(command)
		.trim()
		.replace(/\s*\n\s*/g, " ⏎ ")
		.replace(GAP, ({ length }) => ` ⟨${length} spaces⟩ `)
		.replaceAll("\t", " ");
}
