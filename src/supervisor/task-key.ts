/** By which a task is known again: whoever hands its own task on writes it anew, with other breaks and capitals. */
import { createHash } from "node:crypto";

const KEY_CHARACTERS = 16;

export function taskKey(task: string): string {
	const normalised = task.trim().replace(/\s+/g, " ").toLowerCase();
	return createHash("sha256").update(normalised).digest("hex").slice(0, KEY_CHARACTERS);
}
