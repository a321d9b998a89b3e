/** The role of a name, among those of the project, the user and every run. Pure. */
import { AgentreeError } from "../../core/errors.ts";
import { hintAboutName } from "../../models/provider/provider.ts";
import { BUILT_IN_ROLES } from "./built-in-roles.ts";
import { withoutDoubles } from "./defined-files.ts";
import type { Guide } from "./guide.ts";
import type { Role } from "./role.ts";

export interface FoundRole extends Role {
	/** Of the file that defines it; absent for a role that every run has. */
	readonly path?: string;
}

/** Those of the project go before the user's, and both before those of every run. */
export function rolesOf({ ofProject, ofUser }: Pick<Guide, "ofProject" | "ofUser">): FoundRole[] {
	const ofFiles = withoutDoubles(ofProject.roles, ofUser.roles).map(({ file, ...role }) => ({
		...role,
		path: file.path,
	}));
	return withoutDoubles<FoundRole>(ofFiles, BUILT_IN_ROLES);
}

/** Throws AgentreeError("usage") for a name that none of the roles has. */
export function findRole(name: string, roles: readonly FoundRole[]): FoundRole {
	const found = roles.find((role) => role.name === name);
	if (found !== undefined) return found;
	const known = [...new Set(roles.map((role) => role.name))];
	throw new AgentreeError("usage", `unknown role "${name}"; known: ${known.join(", ")}${hintAboutName(name, known)}`);
}
