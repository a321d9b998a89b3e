/**
 * What a person has allowed for projects: `grants.jsonl` in the user's configuration directory, a line a grant. A line is added in one
 * write, so that two answers at once lose nothing; a person takes one back by removing its line.
 */
import { closeSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import * as v from "valibot";
import { parseRule } from "../core/rules/rule.ts";
import { type ProjectGrant, ProjectGrantSchema } from "../core/schemas/project-grant.ts";
import { jsonLines } from "./files/jsonl.ts";
import { appendLine, makePrivateDirectory, openForAppend } from "./files/private-files.ts";
import { fromFile, toFile } from "./spelling.ts";

export interface ReadGrants {
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
