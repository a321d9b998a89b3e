/** What an agent is told of its turns when most of them are taken. Pure. */
import { type AgentId, withAncestors } from "../../core/agent.ts";
import { branchOf } from "../../core/agent-index.ts";
import type { RunState } from "../../core/run-state.ts";
import { BUDGET_NOTICE_SHARE } from "../../core/spending.ts";
import { turnsTaken } from "../../core/talked-with.ts";

/** `key` identifies the notice, which is given once; `reason` is its text. At the limit itself another text is given. */
export function turnNotices(run: RunState, id: AgentId): { key: string; reason: string }[] {
	const agent = run.agents[id];
	if (agent === undefined) return [];
	const { maxTurns } = agent.limits;
	const own = { taken: turnsTaken(agent), most: maxTurns, named: `max-turns ${maxTurns}` };
	const since = agent.turns - own.taken; // in a conversation each message of a person gives turns anew
	const shared = withAncestors(id).flatMap((holder) => {
		const most = run.agents[holder]?.limits.maxTotalTurns;
		if (most === undefined) return [];
		return {
			taken: branchOf(run.agents, holder).turns,
			most,
			named: `max-total-turns ${most} from agent ${holder} down`,
		};
	});
	return [own, ...shared]
		.filter(({ taken, most }) => taken >= BUDGET_NOTICE_SHARE * most && taken < most)
		.map(({ taken, most, named }) => ({
			key: `${id} ${since} ${named}`,
			reason: `${taken} of ${most} turns are taken (${named})`,
		}));
}
