/** How many agents do what. Counted once for a state of the run. Pure. */
import { countDoings, type DoingCounts } from "../../core/doing.ts";
import type { RunState } from "../../core/run-state.ts";

export { DOINGS, type Doing, type DoingCounts as StateCounts } from "../../core/doing.ts";

const counted = new WeakMap<RunState, DoingCounts>();

export function stateCounts(run: RunState): DoingCounts {
	const known = counted.get(run);
	if (known !== undefined) return known;
	const counts = countDoings(Object.values(run.agents));
	counted.set(run, counts);
	return counts;
}
