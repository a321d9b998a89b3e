/** The parts of a system prompt that list the roles and the skills of files, so that an agent can choose. Pure. */
import { preview } from "../../core/preview.ts";
import { promptPath } from "../../text/prompt-path.ts";
import { withoutDoubles } from "./defined-files.ts";
import type { Guide } from "./guide.ts";

const MAX_DESCRIPTION = 200; // characters
const MAX_LISTED = 40;
const MAX_PATH = 1_000; // characters; and no line feed in a name begins a line of the prompt
const MAX_NAMES = 1_000; // characters of the names of what is not listed

/** For agents that may start others. Undefined when files define none. */
export function rolesText({ ofProject, ofUser }: Guide): string | undefined {
	const roles = withoutDoubles(ofProject.roles, ofUser.roles);
	return listed('More roles for child agents (agent --role NAME "task"):', roles, () => "");
}

/** Undefined when there are none. */
export function skillsText({ ofProject, ofUser }: Guide): string | undefined {
	const skills = withoutDoubles(ofProject.skills, ofUser.skills);
	const head = "Skills: files that explain how to do something. If one fits, read it with cat before you start:";
	return listed(head, skills, ({ file }) => ` (${preview(promptPath(file.path), MAX_PATH)})`);
}

function listed<T extends { readonly name: string; readonly description: string }>(
	head: string,
	all: readonly T[],
	behind: (one: T) => string,
): string | undefined {
	if (all.length === 0) return undefined;
	const lines = all.slice(0, MAX_LISTED).map((one) => {
		const description = preview(one.description, MAX_DESCRIPTION);
		return `- ${one.name}${description === "" ? "" : `: ${description}`}${behind(one)}`;
	});
	const left = all.slice(MAX_LISTED).map(({ name }) => name);
	return [head, ...lines, ...(left.length === 0 ? [] : [`- also: ${preview(left.join(", "), MAX_NAMES)}`])].join("\n");
}
