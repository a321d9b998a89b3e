/** The JSON Schema that `--json-schema` names, once it is known to be one. */
import { resolve } from "node:path";
import { formatBytes } from "../../core/bytes.ts";
import { AgentreeError } from "../../core/errors.ts";
import { MAX_SCHEMA_CHARS } from "../../core/model/json-answer.ts";
import { readNamedFile } from "./read-named-file.ts";

/** The text of the file. `cwd`: throws when it is gone. Throws AgentreeError("usage"). */
export async function readSchema(given: unknown, cwd: () => string): Promise<string | undefined> {
	if (given === undefined) return undefined;
	const name = `--json-schema ${given}`;
	const text = readNamedFile(resolve(cwd(), String(given)), name, { maxBytes: 4 * MAX_SCHEMA_CHARS, isRegular: false });
	if (text.length > MAX_SCHEMA_CHARS)
		throw new AgentreeError(
			"usage",
			`${name}: it has more than ${formatBytes(MAX_SCHEMA_CHARS)}, which each request would carry`,
		);
	const { answerChecker } = await import("../../supervisor/conversations/answer-schema.ts");
	answerChecker(text, name);
	return text;
}
