/** The part of a system prompt that names the roles of files, so that an agent can choose one for a child. Pure. */
import { preview } from "../core/preview.ts";
import type { Guide } from "./guide.ts";
import type { RoleFile } from "./role-files.ts";

const MAX_DESCRIPTION = 200; // characters
const MAX_ROLES = 40;

/** Undefined when files define none. */
export function rolesText({ ofProject, ofUser }: Guide): string | undefined {
	const names = ofProject.roles.map(({ role }) => role.name);
	const roles = [...ofProject.roles, ...ofUser.roles.filter(({ role }) => !names.includes(role.name))];
	if (roles.length === 0) return undefined;
	const left = roles.slice(MAX_ROLES).map(({ role }) => role.name);
	const more = left.length === 0 ? [] : [`- also: ${preview(left.join(", "), 1_000)}`];
	return `More roles for child agents, by agent --role NAME "task":\n${[...roles.slice(0, MAX_ROLES).map(line), ...more].join("\n")}`;
}

function line({ role }: RoleFile): string {
	const description = preview(role.description, MAX_DESCRIPTION);
	return `- ${role.name}${description === "" ? "" : `: ${description}`}`;
}
