import { createHash } from "node:crypto";

const MAX_ID_CHARS = 40;
const SHORT = /^[a-z0-9]{9}$/i;

/**
 * The id of a call as services take it: they refuse longer ones, as a call of another service may have. `isShort`: templates of Mistral
 * refuse all that has not nine letters and digits.
 */
export function callId(id: string, isShort = false): string {
	if (isShort ? SHORT.test(id) : id.length <= MAX_ID_CHARS) return id;
	const digest = createHash("sha256").update(id).digest("hex");
	return isShort ? digest.slice(0, 9) : `call_${digest.slice(0, 32)}`;
}
