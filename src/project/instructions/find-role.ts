/** The role of a name, among those of the project, the user and every run. Pure. */
import { usageError } from "../../core/errors.ts";
import { hintAboutName } from "../../models/provider/provider.ts";
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
	throw usageError(`unknown role "${name}"; known: ${known.join(", ")}${hintAboutName(name, known)}`);
}

/** The roles that every run has. A file for a role of the same name goes before them. */

export const BUILT_IN_ROLES: readonly Role[] = [
	{
		name: "explore",
		description: "looks and reports, changes nothing",
		text: "You explore: you look and report, and change nothing: no file, no setting, no other state. Use commands that only read. Report what you found with files and line numbers, and say what you did not look at.",
		...{ limits: {}, sandbox: "read-only", notices: [] },
	},
	{
		name: "plan",
		description: "answers with a plan",
		text: "You plan: you look, change nothing, and answer with a plan that someone else can carry out: the steps in order, the files each step touches, how to check each step, what may go wrong, and what is still unknown.",
		...{ limits: {}, sandbox: "read-only", notices: [] },
	},
	{
		name: "code",
		description: "changes files and checks them",
		text: "You change code. Read what is there before you change it, and keep its style. Make the smallest change that does the whole task. Run the checks (tests, build, the program itself), fix what fails, and report what you changed and what you ran.",
		...{ limits: {}, notices: [] },
	},
];
