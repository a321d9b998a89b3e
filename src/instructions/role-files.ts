/** The roles that files define: `agents/*.md` of the user, `.claude/agents` and `.agentree/agents` of a project's directories. */
import { basename } from "node:path";
import type { KeptFile } from "../protocol/supervise-order.ts";
import type { KeptFiles } from "./kept-files.ts";
import { namedFiles } from "./named-files.ts";
import { isInside, realPath } from "./project.ts";
import { type Role, readRole } from "./role.ts";
import type { FileRule } from "./text-file.ts";

export interface RoleFile {
	readonly file: KeptFile;
	readonly role: Role;
}

export interface RoleFiles {
	/** One of each name. */
	readonly roles: readonly RoleFile[];
	/** Files that define no role, and why. */
	readonly notices: readonly string[];
}

/** Of two roles with one name that of the later directory counts. */
export function rolesIn(places: readonly string[], { kept, rule }: { kept: KeptFiles; rule: FileRule }): RoleFiles {
	const byName = new Map<string, RoleFile>();
	const notices: string[] = [];
	for (const place of places) {
		const { files, isCut, why } = filesIn(place, rule);
		if (why !== undefined) notices.push(`${place} is not used: ${why}`);
		if (isCut) notices.push(`${place} has too many files: not all are looked at`);
		for (const path of files) {
			const read = kept.read(path, rule);
			if (read.is === "missing") continue;
			if (read.is === "refused") notices.push(`${path} is not used: ${read.why}`);
			else take(read.file, { byName, notices });
		}
	}
	return { roles: [...byName.values()].sort((a, b) => (a.role.name < b.role.name ? -1 : 1)), notices };
}

function take(file: KeptFile, { byName, notices }: { byName: Map<string, RoleFile>; notices: string[] }): void {
	const read = readRole(file.text, basename(file.path, ".md"));
	if (read.is === "refused") notices.push(`${file.path} is no role: ${read.why}`);
	else byName.set(read.role.name, { file, role: read.role });
}

function filesIn(place: string, { within }: FileRule) {
	const real = realPath(place);
	if (real === undefined) return { files: [], isCut: false, why: undefined };
	if (within?.some((directory) => isInside(real, directory)) === false)
		return { files: [], isCut: false, why: `it is a link that leads to ${real}` };
	return { ...namedFiles(place, isRoleFile), why: undefined };
}

function isRoleFile(name: string): boolean {
	return name.endsWith(".md") && name.toLowerCase() !== "readme.md";
}
