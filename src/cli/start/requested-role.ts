/** The role that a run is asked to have, with what of it has no effect. */

import { AgentreeError } from "../../core/errors.ts";
import type { RunRequest } from "../../project/config/run-request.ts";
import { type FoundRole, findRole } from "../../project/instructions/find-role.ts";
import { complain } from "../../terminal/print.ts";
import type { FoundSources } from "./instruction-sources.ts";

/** Undefined when none is asked for. Throws AgentreeError("usage") for an unknown one. */
export function requestedRole(
	{ role: name, isQuiet }: Pick<RunRequest, "role" | "isQuiet">,
	{ roles, unusedRoles }: Pick<FoundSources, "roles" | "unusedRoles">,
): FoundRole | undefined {
	if (name === undefined) return undefined;
	if (unusedRoles.includes(name) && !roles.some((role) => role.name === name))
		throw new AgentreeError("usage", `the role ${name} is one of this project, which is not trusted: --trust uses it`);
	const role = findRole(name, roles);
	if (!isQuiet && role.notices.length > 0)
		complain(`agent: of the role ${role.name} this has no effect: ${role.notices.join("; ")}`);
	return role;
}
