/** What the root of the conversation does, where nothing else shows it. Pure. */
import { type Agent, type AgentId, ROOT } from "../../../core/model/agent.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { NO_ACTIVITY } from "../../../view/agents/activity.ts";
import { RunView } from "../../../view/agents/run-view.ts";

export interface Moment {
	readonly now: number;
	/** The agents whose call waits until the service takes more, and since when. */
	readonly heldSince?: ReadonlyMap<AgentId, number> | undefined;
}

export function viewAt(run: RunState, { now, heldSince = new Map() }: Moment): RunView {
	return new RunView({ run, now, activity: { ...NO_ACTIVITY, heldSince } });
}

/** `isInSight`: its commands are shown as they run. */
export function rootDoes(view: RunView, isInSight: boolean): string | undefined {
	const root = view.agent(ROOT);
	if (root === undefined) return undefined;
	const { state, paused } = root.agent;
	const isShown = (state.is === "running" || state.is === "waiting") && isInSight;
	return paused === undefined && (isShown || !isAtWork(root.agent)) ? undefined : root.line;
}

export function isAtWork(root: Agent | undefined): boolean {
	return root !== undefined && root.state.is !== "ended" && root.state.is !== "listening";
}
