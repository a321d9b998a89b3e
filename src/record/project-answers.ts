/**
 * What a person has answered for projects: whether its files are trusted, in `trust/HASH.json` of the state directory, a file a project;
 * and what is allowed there, in `grants.jsonl` of the configuration directory.
 */

import { createHash } from "node:crypto";
import { closeSync, existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { AgentreeError } from "../core/errors.ts";
import { parseRule } from "../core/rules/rule.ts";
import { type ProjectGrant, ProjectGrantSchema, type TrustFile, TrustFileSchema } from "../core/schemas/run-files.ts";
import { jsonLines } from "./files/json-lines.ts";
import { appendLine, makePrivateDirectory, openForAppend, replaceSafely } from "./files/private-files.ts";
import { readText } from "./files/regular-file.ts";
import { fromFile, toFile } from "./spelling.ts";

interface ReadTrust {
	readonly file: TrustFile;
	/** When the file was last changed, as the kernel knows it: nobody but root can set that. */
	readonly changedAt: number;
}

/** Undefined when nothing was answered about the project, or what was cannot be read: then a person is asked again. */
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

/**
 * What a person has allowed for projects: `grants.jsonl` in the user's configuration directory, a line a grant. A line is added in one
 * write, so that two answers at once lose nothing; a person takes one back by removing its line.
 */

interface ReadGrants {
	readonly grants: readonly ProjectGrant[];
	/** How many lines are none. */
	readonly damaged: number;
}

/** Those of all projects, the oldest first. */
export function readProjectGrants(path: string): ReadGrants {
	const grants: ProjectGrant[] = [];
	let damaged = 0;
	if (!existsSync(path)) return { grants, damaged };
	for (const line of jsonLines(path)) {
		const read = line.is === "value" ? v.safeParse(ProjectGrantSchema, fromFile(line.value)) : undefined;
		if (read?.success && parseRule(read.output.rule).is === "rule") grants.push(read.output);
		else damaged += 1;
	}
	return { grants, damaged };
}

/** Throws AgentreeError("not_writable"). */
export function addProjectGrant(path: string, grant: ProjectGrant): void {
	makePrivateDirectory(dirname(path));
	const file = openForAppend(path);
	try {
		appendLine(file, path, toFile(grant));
	} finally {
		closeSync(file);
	}
}
