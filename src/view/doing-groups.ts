/** What living agents do, as groups of those that do the same. Pure. */

import { type Doing, doingOf } from "../core/doing.ts";
import { type Agent, type AgentId, isWithin } from "../core/model/agent.ts";
import { pauseOf } from "../core/run/pause.ts";
import { agentsInOrder, type RunState } from "../core/run/run-state.ts";
import { oneLine } from "../text/safe/terminal-safe.ts";
import type { CommandActivity } from "./command-activity.ts";

/** `silent`: its commands run, and none of them has printed anything for a while. */
export type GroupedDoing = Extract<Doing, "running" | "thinking" | "retrying" | "queued" | "paused"> | "silent";

export interface GroupMember {
	readonly agent: AgentId;
	/** Since when it does that; of one that is silent, since when it is. */
	readonly since: number;
	/** Of a running command that tells most of it: the one that printed last. */
	readonly activity?: CommandActivity;
}

export interface DoingGroup {
	readonly doing: GroupedDoing;
	/** What all of them wait for, where that is known. */
	readonly reason?: string;
	/** Those that do it longest first. */
	readonly members: readonly GroupMember[];
}

/** Who prints nothing for so long may be stuck. */
const SILENT_MS = 30_000;

/**
 * The living agents at and below `root`, but those that wait for others of them: the group first in which one has done the same
 * for longest. `activities`: of their commands, as far as they were looked at.
 */
export function doingGroups(
	run: RunState,
	root: AgentId,
	{ activities, now }: { readonly activities: readonly CommandActivity[]; readonly now: number },
): DoingGroup[] {
	const byAgent = groupBy(activities, ({ agent }) => agent);
	const found = agentsInOrder(run).flatMap((agent) => {
		const placed = isWithin(agent.id, root) ? placeOf(agent, byAgent.get(agent.id) ?? [], now) : undefined;
		return placed === undefined ? [] : [placed];
	});
	const groups = groupBy(found, ({ doing, reason = "" }) => `${doing} ${reason}`);
	const sorted = [...groups.values()].map((placed) => placed.sort((a, b) => a.member.since - b.member.since));
	return sorted
		.sort(([a], [b]) => (a?.member.since ?? 0) - (b?.member.since ?? 0))
		.flatMap((placed) => {
			const [first] = placed;
			if (first === undefined) return [];
			const { doing, reason } = first;
			return [{ doing, ...(reason !== undefined && { reason }), members: placed.map(({ member }) => member) }];
		});
}

interface Placed {
	readonly doing: GroupedDoing;
	readonly reason?: string | undefined;
	readonly member: GroupMember;
}

/** Undefined for an agent that is over, or waits for a person or for those below it. */
function placeOf(agent: Agent, activities: readonly CommandActivity[], now: number): Placed | undefined {
	const { id, state } = agent;
	const doing = doingOf(agent);
	switch (doing) {
		case "running":
			return placeOfRunning(agent, activities, now);
		case "paused": {
			const { since = 0, by = id } = pauseOf(agent) ?? {};
			return { doing, reason: `agent continue ${by} lets them go on`, member: { agent: id, since } };
		}
		case "retrying":
		case "queued":
		case "thinking": {
			const since = "since" in state ? state.since : 0;
			return { doing, reason: reasonOf(agent), member: { agent: id, since } };
		}
		case "asking":
		case "waiting":
		case "listening":
		case "answered":
		case "stopped":
		case "failed":
			return undefined;
	}
}

function reasonOf({ state }: Agent): string | undefined {
	const reason = state.is === "thinking" ? state.retry?.reason : state.is === "queued" ? state.reason : undefined;
	return reason === undefined ? undefined : oneLine(reason);
}

/** Of several commands the one that printed last speaks for the agent: one of which nothing is known may print now. */
function placeOfRunning(agent: Agent, activities: readonly CommandActivity[], now: number): Placed {
	const since = Math.min(now, ...agent.running.map((command) => command.since));
	const [newest] = [...activities].sort((a, b) => (b.silentSince ?? now) - (a.silentSince ?? now));
	const silentSince = newest?.silentSince ?? now;
	const activity = newest === undefined ? {} : { activity: newest };
	if (now - silentSince < SILENT_MS) return { doing: "running", member: { agent: agent.id, since, ...activity } };
	return { doing: "silent", member: { agent: agent.id, since: silentSince, ...activity } };
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const value of values) {
		const key = keyOf(value);
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [value]);
		else group.push(value);
	}
	return groups;
}
