/** Creates the parts of a supervisor by which a person talks with the root of its run. */
import { Asides, type AsidesDeps } from "./asides.ts";
import type { ModelCalls } from "./calls/model-calls.ts";
import { Changer, type ChangerDeps } from "./changer.ts";
import { Contexts, type ContextsDeps } from "./contexts.ts";
import { Histories, type HistoriesDeps } from "./histories.ts";
import { LeftAlone, type LeftAloneDeps } from "./left-alone.ts";
import { Talker, type TalkerDeps } from "./talker.ts";
import { Talkers } from "./talkers.ts";
import { TimeLimits, type TimeLimitsDeps } from "./time-limits.ts";

type TalkDeps = HistoriesDeps &
	LeftAloneDeps &
	Omit<TimeLimitsDeps, "deadlines"> &
	Omit<ChangerDeps, "timeLimits"> &
	Omit<AsidesDeps, "calls" | "histories"> &
	Omit<ContextsDeps, "histories"> &
	Omit<TalkerDeps, "changer" | "asides" | "contexts" | "talkers"> & { calls: Pick<ModelCalls, "deadlines" | "asides"> };

export function createTalk(deps: TalkDeps) {
	const { deadlines, asides: calls } = deps.calls;
	const histories = new Histories(deps);
	const timeLimits = new TimeLimits({ ...deps, deadlines });
	const changer = new Changer({ ...deps, timeLimits });
	const asides = new Asides({ ...deps, histories, calls });
	const contexts = new Contexts({ ...deps, histories });
	const talkers = new Talkers();
	const talker = new Talker({ ...deps, changer, asides, contexts, talkers });
	new LeftAlone(deps); // it hears of all that happens by the feed
	return { histories, timeLimits, changer, asides, talker, talkers };
}
