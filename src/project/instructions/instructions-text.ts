/** The part of a system prompt that has the instructions of files, each with the file's name. Pure. */
import { promptPath } from "../../text/prompt-path.ts";
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
