/** JSON that is written to a file of a person's: without keys and passwords, and safe to look at. */
import { redactedJson } from "../../text/safe/redact.ts";
import { escapeJson } from "../../text/safe/safe-json.ts";

export function exportedJson(value: unknown): string {
	return escapeJson(redactedJson(value));
}
