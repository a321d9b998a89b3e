/** How many agents do what. Counted once for a state of the run. Pure. */
import { countDoings, DOINGS, type DoingCounts } from "../../../core/doing.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { treeOf } from "./tree-branches.ts";

export { DOINGS, type Doing, type DoingCounts as StateCounts } from "../../../core/doing.ts";

const counted = new WeakMap<RunState, DoingCounts>();

export function stateCounts(run: RunState): DoingCounts {
	const known = counted.get(run);
	if (known !== undefined) return known;
	const { roots, branches } = treeOf(run.agents);
	const counts = { ...countDoings(roots) };
	for (const { id } of roots) {
		const below = branches.get(id)?.below;
		for (const doing of DOINGS) counts[doing] += below?.[doing] ?? 0;
	}
	counted.set(run, counts);
	return counts;
}
