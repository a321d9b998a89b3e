/** What each agent of the run did over time, as the dashboard has read it. Pure. */

import type { Doing } from "../../../core/doing.ts";
import type { Agent, AgentId } from "../../../core/model/agent.ts";
import { type PhaseChange, phaseOf } from "../../../view/phases.ts";

/** The changes of each agent in order, their times never going back. */
export type RunPhases = ReadonlyMap<AgentId, readonly PhaseChange[]>;

/** So many changes of one agent are kept, the newest. */
const MOST_CHANGES = 1_000;
const DROPPED_AT_ONCE = 250;

/** Takes time in proportion to the number of agents and of changes, so it is meant for many changes at once. */
export function withChanges(phases: RunPhases, changes: readonly PhaseChange[]): RunPhases {
	const next = new Map(phases);
	const copies = new Map<AgentId, PhaseChange[]>();
	for (const change of changes) {
		const known = copies.get(change.agent);
		const list = known ?? [...(phases.get(change.agent) ?? [])];
		if (known === undefined) {
			copies.set(change.agent, list);
			next.set(change.agent, list);
		}
		add(list, change);
	}
	return next;
}

function add(list: PhaseChange[], change: PhaseChange): void {
	for (let last = list.at(-1); last?.isExpected && last.at > change.at; last = list.at(-1)) list.pop();
	const last = list.at(-1);
	if (last?.phase === change.phase) return;
	const at = Math.max(change.at, last?.at ?? change.at); // the system's time may have been set back
	if (last?.at === at) list.pop();
	list.push({ ...change, at });
	if (list.length > MOST_CHANGES) list.splice(0, DROPPED_AT_ONCE);
}

export interface PhaseSpan {
	readonly from: number;
	readonly to: number;
	/** `unknown`: the agent was there, and its events are not known any more. */
	readonly phase: Doing | "unknown";
}

/**
 * What the agent did until `until`, each span beginning where the one before it ends. An end lasts until the agent is
 * resumed, or until `until`.
 */
export function spansOf(phases: RunPhases, agent: Agent, until: number): PhaseSpan[] {
	const changes = changesUntil(phases, agent, until);
	const begin = { at: agent.joinedAt, phase: "unknown" } as const;
	const all = (changes[0]?.at ?? until) > begin.at ? [begin, ...changes] : changes;
	return all.map(({ at, phase }, index) => ({ from: at, to: Math.max(at, all[index + 1]?.at ?? until), phase }));
}

/** Nobody writes down the end of an agent whose supervisor has died, and what was not read yet is known as it is now. */
function changesUntil(phases: RunPhases, agent: Agent, until: number): Pick<PhaseChange, "at" | "phase">[] {
	const { state } = agent;
	const known = (phases.get(agent.id) ?? []).filter(({ at }) => at <= until);
	const last = known.at(-1);
	const isOver = state.is === "ended";
	const isToldWhole = isOver ? last !== undefined && isEnd(last.phase) : last !== undefined;
	const at = isOver ? state.at : state.since;
	return isToldWhole ? known : [...known, { at: Math.max(at, last?.at ?? at), phase: phaseOf(agent, until) }];
}

export function isEnd(phase: PhaseSpan["phase"]): boolean {
	return phase === "answered" || phase === "stopped" || phase === "failed";
}
