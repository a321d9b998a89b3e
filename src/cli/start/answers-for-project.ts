/** What a person has answered for good about commands in a project, and where such answers are kept. */
import { join } from "node:path";
import { configurationDirectory } from "../../project/config/configuration-path.ts";
import { personOf } from "../../project/person.ts";
import { projectOf } from "../../project/project-of.ts";
import { readProjectGrants } from "../../record/project-answers.ts";

export interface AnswersForProject {
	readonly root: string;
	readonly file: string;
	/** Rules that allow, each once. */
	readonly rules: readonly string[];
	/** How many lines of the file cannot be read. */
	readonly damaged: number;
}

/** Undefined without a home to keep them in. */
export function answersForProject(
	cwd: string,
	env: Readonly<Record<string, string | undefined>>,
): AnswersForProject | undefined {
	const directory = configurationDirectory(env);
	const root = projectOf(cwd, personOf(env))?.top;
	if (directory === undefined || root === undefined) return undefined;
	const file = join(directory, "grants.jsonl");
	const { grants, damaged } = readProjectGrants(file);
	const rules = grants.filter(({ project }) => project === root).map(({ rule }) => rule);
	return { root, file, rules: [...new Set(rules)], damaged };
}
