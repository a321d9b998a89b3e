/** What an agent of the conversation does, with what no event tells: whose call the service holds up. Pure. */
import { type Agent, type AgentId, ROOT } from "../../../core/model/agent.ts";
import { pauseOf } from "../../../core/run/pause.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { formatElapsed } from "../../../text/durations.ts";
import { describeState } from "../../../text/states.ts";
import { describeHeldCall } from "../../../view/words/held-call.ts";

export interface Moment {
	readonly now: number;
	/** The agents whose call waits until the service takes more, and since when. */
	readonly heldSince?: ReadonlyMap<AgentId, number> | undefined;
}

/** Undefined: the call of the agent, if there is one, is under way, or is made again at a known time. */
export function heldWords(run: RunState, agent: Agent, { now, heldSince }: Moment): string | undefined {
	const since = heldSince?.get(agent.id);
	const { state } = agent;
	if (since === undefined || state.is !== "thinking" || pauseOf(agent) !== undefined) return undefined;
	if (state.retry !== undefined && state.retry.nextAt > now) return undefined;
	return describeHeldCall(run.slowed, { since, now });
}

/** What the root does, where nothing else shows it; `isInSight`: its commands are shown as they run. */
export function rootDoes(run: RunState, moment: Moment, isInSight: boolean): string | undefined {
	const root = run.agents[ROOT];
	if (root === undefined) return undefined;
	const { state, paused } = root;
	const isInCommand = state.is === "running" || state.is === "waiting";
	if (paused === undefined && ((isInCommand && isInSight) || !isAtWork(root))) return undefined;
	if (paused === undefined && state.is === "queued" && state.reason === undefined)
		return `waits for a slot ${formatElapsed(moment.now - state.since)}`;
	return heldWords(run, root, moment) ?? describeState(root, moment.now);
}

export function isAtWork(root: Agent | undefined): boolean {
	return root !== undefined && root.state.is !== "ended" && root.state.is !== "listening";
}
