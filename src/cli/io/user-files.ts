/** Small files that a person names: the configuration file, and a JSON Schema. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { formatBytes } from "../../core/bytes.ts";
import { AgentreeError } from "../../core/errors.ts";
import { MAX_SCHEMA_CHARS } from "../../core/model/json-answer.ts";
import { errnoWords } from "../../faces/print/io.ts";
import type { UserConfiguration } from "../../models/user-configuration.ts";
import { type FileBounds, readBoundedText } from "../../models/user-files/bounded-file.ts";
import { configurationPath } from "../../project/config/user-directories.ts";

export interface Configuration extends UserConfiguration {
	/** Undefined when the user has no configuration file. */
	readonly path: string | undefined;
}

const NONE: Configuration = { path: undefined, prices: [], hosts: [], notify: { is: "bell" } };
const BOUNDS = { maxBytes: 1024 * 1024, isRegular: true };

/** Throws AgentreeError: "usage" for a file that is named and missing, or that cannot be read; "script" for what is wrong in it. */
export async function readConfiguration(
	env: Readonly<Record<string, string | undefined>>,
	cwd: () => string,
): Promise<Configuration> {
	const place = configurationPath(env, cwd);
	if (place === undefined || (!place.isNamed && !existsSync(place.path))) return NONE;
	const name = place.isNamed ? `AGENTREE_CONFIG ${place.path}` : `the configuration file ${place.path}`;
	const text = readNamedFile(place.path, name, BOUNDS);
	const { parseUserConfiguration } = await import("../../models/user-configuration.ts");
	return { path: place.path, ...parseUserConfiguration(text, place.path) };
}

/** `name`: how a person named the file. Throws AgentreeError("usage") when it cannot be read, or has more than the bounds. */
export function readNamedFile(path: string, name: string, bounds: FileBounds): string {
	const refuse = (why: string) => new AgentreeError("usage", `${name}: cannot be read (${why})`);
	let read: ReturnType<typeof readBoundedText>;
	try {
		read = readBoundedText(path, bounds);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw refuse(code === "ENOENT" ? "no such file" : errnoWords(code ?? String(error)));
	}
	if (read.is === "refused") throw refuse(read.why);
	return read.text;
}

/** The text of the file. `cwd`: throws when it is gone. Throws AgentreeError("usage"). */
export async function readSchema(given: unknown, cwd: () => string): Promise<string | undefined> {
	if (given === undefined) return undefined;
	const name = `--json-schema ${given}`;
	const text = readNamedFile(resolve(cwd(), String(given)), name, { maxBytes: 4 * MAX_SCHEMA_CHARS, isRegular: false });
	if (text.length > MAX_SCHEMA_CHARS)
		throw new AgentreeError(
			"usage",
			`${name}: it is larger than ${formatBytes(MAX_SCHEMA_CHARS)}, and would be sent with every request`,
		);
	const { answerChecker } = await import("../../supervisor/conversations/answer-schema.ts");
	answerChecker(text, name);
	return text;
}
