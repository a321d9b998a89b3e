/** What `agent doctor` says of answers that a person has given for good in this project. */
import { answersForProject } from "./answers-for-project.ts";
import type { Check } from "./check-services.ts";

/** Said only where there are some. */
export function checkAnswers({
	env,
	cwd,
}: {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly cwd: string;
}): Check[] {
	const answers = answersForProject(cwd, env);
	if (answers === undefined) return [];
	const { root, file, rules, damaged } = answers;
	const what = "answers";
	const lost = damaged === 0 ? [] : [{ result: "warn", what, detail: `${damaged} lines of ${file} are none` } as const];
	if (rules.length === 0) return lost;
	return [{ result: "ok", what, detail: `${rules.join(", ")} allowed in ${root}, by lines of ${file}` }, ...lost];
}
