/** The rules for commands that a project's own file has, which count once the project is trusted. */
import { join } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import type { WrittenRules } from "../../core/rules/rule.ts";
import type { GuideFile } from "../../project/instructions/guide.ts";
import type { KeptFiles } from "../../project/instructions/kept-files.ts";
import type { Project } from "../../project/project-of.ts";

const NAME = ".agentree/config.yaml";

export interface ProjectRules {
	readonly rules: WrittenRules;
	readonly notices: readonly string[];
}

/** The file, as a person is asked about it; undefined: there is none. */
export function rulesFileOf(project: Project | undefined, kept: KeptFiles): GuideFile | undefined {
	if (project === undefined) return undefined;
	const read = kept.forDirectory().read(join(project.top, NAME), { within: [project.top] });
	return read.is === "text" ? { ...read.file, what: "rules that ask about commands, and deny them" } : undefined;
}

/** Throws AgentreeError for what is wrong in it. */
export async function readProjectRules({ path, text, isCut }: GuideFile): Promise<ProjectRules> {
	if (isCut) throw new AgentreeError("script", `${path}: it is longer than what is read of such a file`);
	const { parseProjectSettings } = await import("../../models/project-settings.ts");
	const { ask, deny, notices } = parseProjectSettings(text, path);
	return { rules: { source: "this project", allow: [], ask, deny }, notices };
}
