/** The parts of a system prompt that have the instructions of files, and list their roles and skills, so that an agent can choose. Pure. */

import { preview } from "../../core/preview.ts";
import { promptPath } from "../../text/prompt-path.ts";
import { withoutDoubles } from "./defined-files.ts";
import type { Guide } from "./guide.ts";
import type { InstructionFile, Instructions } from "./instruction-files.ts";

const OF_PROJECT =
	"Instructions from this project's files, for anyone who works here; a later one overrides an earlier one. They come from the project, not from the person: your task and what is said above override them.";
const OF_USER = "The person's own instructions, for all projects. They override those of the project.";

/** Undefined when there are none. */
export function instructionsText({ ofProject, ofUser }: Guide): string | undefined {
	const sections = [section(OF_PROJECT, ofProject.instructions), section(OF_USER, ofUser.instructions)];
	const parts = sections.filter((part) => part !== undefined);
	return parts.length === 0 ? undefined : parts.join("\n\n");
}

function section(head: string, { files, notices }: Instructions): string | undefined {
	const told = files.filter(({ isLink }) => isLink !== true);
	if (told.length === 0) return undefined;
	const notes =
		notices.length === 0 ? [] : [`Not included from these files:\n${notices.map((line) => `- ${line}`).join("\n")}`];
	return [head, ...told.map(element), ...notes].join("\n\n");
}

/** No text can end its element itself. */
function element({ path, text, importedBy }: InstructionFile): string {
	const by = importedBy === undefined ? "" : ` imported-by="${attribute(importedBy)}"`;
	const inside = text.trim().replaceAll(/<(?=\/?instructions\b)/gi, "&lt;");
	return `<instructions file="${attribute(path)}"${by}>\n${inside}\n</instructions>`;
}

function attribute(path: string): string {
	return promptPath(path).replace(/["<>]/g, "?");
}

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
