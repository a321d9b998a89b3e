/** What a person has answered about the files of projects: `trust/HASH.json` in the state directory, a file a project. */
import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { AgentreeError } from "../core/errors.ts";
import { type TrustFile, TrustFileSchema } from "../core/schemas/trust-file.ts";
import { makePrivateDirectory, replaceSafely } from "./files/private-files.ts";
import { readText } from "./files/regular-file.ts";
import { fromFile, toFile } from "./spelling.ts";

export interface ReadTrust {
	readonly file: TrustFile;
	/** When the file was last changed, as the kernel knows it: nobody but root can set that. */
	readonly changedAt: number;
}

/** Undefined when nothing was answered about the project, or what was cannot be read: then a person is asked anew. */
export function readTrust(home: string, project: string): ReadTrust | undefined {
	const path = trustPath(home, project);
	try {
		const found = lstatSync(path, { throwIfNoEntry: false });
		if (found === undefined) return undefined;
		const read = v.safeParse(TrustFileSchema, fromFile(JSON.parse(readText(path))));
		if (!read.success || read.output.project !== project) return undefined;
		return { file: read.output, changedAt: found.ctimeMs };
	} catch (error) {
		const isExpected = error instanceof AgentreeError || error instanceof SyntaxError || "code" in Object(error);
		if (isExpected) return undefined; // it may not be read, or is damaged
		throw error;
	}
}

/** Throws AgentreeError("not_writable"). */
export function writeTrust(home: string, file: TrustFile): void {
	makePrivateDirectory(join(home, "trust"));
	replaceSafely(trustPath(home, file.project), toFile(file));
}

function trustPath(home: string, project: string): string {
	return join(home, "trust", `${createHash("sha256").update(project).digest("hex").slice(0, 32)}.json`);
}
