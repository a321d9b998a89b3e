/** Equal for tasks that differ in white space and case alone: an agent that passes its task on often retypes it. */
import { createHash } from "node:crypto";

const KEY_CHARACTERS = 16;

export function taskKey(task: string): string {
	const normalised = task.trim().replace(/\s+/g, " ").toLowerCase();
	return createHash("sha256").update(normalised).digest("hex").slice(0, KEY_CHARACTERS);
}
