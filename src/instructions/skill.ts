/** A skill: a file that says how something is done. Agents are told its name and where it is, and read it when they need it. Pure. */
import { basename, dirname } from "node:path";
import { preview } from "../core/preview.ts";
import type { KeptFile } from "../protocol/supervise-order.ts";
import { type Definition, isName, type Kind } from "./defined-files.ts";
import { readFrontMatter, textOf } from "./front-matter.ts";
import { skillFile } from "./named-files.ts";

const MAX_DESCRIPTION = 1_000; // characters that are kept; the list in a prompt has fewer

export interface Skill {
	readonly name: string;
	readonly description: string;
}

export const SKILLS: Kind<Skill> = { called: "skill", fileOf: skillFile, read: readSkill };

/** Without a name it has that of its directory. */
function readSkill({ text, path }: KeptFile): Definition<Skill> {
	const read = readFrontMatter(text);
	if (read === undefined) return { is: "refused", why: "its front matter has no end" };
	const description = preview(textOf(read.values.get("description")), MAX_DESCRIPTION);
	if (description === "") return { is: "refused", why: "it has no front matter with a description" };
	const name = textOf(read.values.get("name")) || basename(dirname(path));
	if (!isName(name)) return { is: "refused", why: `"${preview(name, 100)}" is no name for a skill` };
	return { is: "defined", what: { name, description } };
}
