/** What a run is called in a line for people. Pure. */
import type { RunFile } from "../../core/model/transcript.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";

/** Its name, else its task; empty for one that has neither. */
export function runTitle({ name = "", task }: Pick<RunFile, "name" | "task">): string {
	return oneLine(name) || firstLine(task);
}
