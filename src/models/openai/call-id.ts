import { createHash } from "node:crypto";

const MAX_ID_CHARS = 40;

/** The id of a call as services take it: they refuse longer ones, as a call of another service may have. */
export function callId(id: string): string {
	return id.length <= MAX_ID_CHARS ? id : `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
