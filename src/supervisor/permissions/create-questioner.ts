/** What brings a run's questions to a person, and keeps what is allowed for its project. */
import { addProjectGrant } from "../../record/project-answers.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";
import { AskerWatch, type AskerWatchDeps } from "./asker-watch.ts";
import { Questioner, type QuestionerDeps } from "./questioner.ts";

type Deps = Omit<QuestionerDeps, "keepGrant" | "onAsked"> &
	AskerWatchDeps & { settings: Pick<RunSettings, "asking" | "run">; now: () => number };

export function createQuestioner({ settings: { asking, run }, now, ...deps }: Deps): Questioner {
	const { file } = asking?.project ?? {};
	const keepGrant = (rule: string, project: string) => {
		if (file !== undefined) addProjectGrant(file, { project, rule, at: now(), run });
	};
	const watch = new AskerWatch(deps);
	return new Questioner({ ...deps, ...asking, keepGrant, onAsked: () => watch.begin() });
}
