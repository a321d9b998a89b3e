/** Which branches hold agents that may be stuck. Counted once a second for a state of the agents. Pure. */
import { type AgentId, withAncestors } from "../../../core/model/agent.ts";
import type { Agents } from "../../../core/run/agent-index.ts";
import { type Activity, isSilent } from "./activity.ts";
import { treeOf } from "./tree-branches.ts";

/** How many agents below have been quiet for so long that somebody should look. */
export function silentBelow(agents: Agents, activity: Activity, now: number): ReadonlyMap<AgentId, number> {
	const second = Math.floor(now / 1_000);
	const known = counted.get(agents);
	if (known?.activity === activity && known.second === second) return known.silent;
	const silent = new Map<AgentId, number>();
	for (const agent of treeOf(agents).atWork) {
		if (!isSilent(agent, activity, now)) continue;
		for (const above of withAncestors(agent.id).slice(1)) silent.set(above, (silent.get(above) ?? 0) + 1);
	}
	counted.set(agents, { activity, second, silent });
	return silent;
}

interface Counted {
	readonly activity: Activity;
	readonly second: number;
	readonly silent: ReadonlyMap<AgentId, number>;
}

const counted = new WeakMap<Agents, Counted>();
