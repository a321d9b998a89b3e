/**
 * What agents do at any time, as changes from one phase to the next: few numbers, so that all of a long run can be kept; and as spans.
 * Pure.
 */

import { type Doing, doingOf } from "../../core/doing.ts";
import { DEFAULT_LIMITS } from "../../core/limits/limits.ts";
import { type Agent, type AgentId, isWithin, parentOf } from "../../core/model/agent.ts";
import { EMPTY_RUN, type RunState, reduceInPlace } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { formatDuration } from "../../text/durations.ts";
import { DOING_WORDS } from "../agents/doing-now.ts";

export interface PhaseChange {
	readonly agent: AgentId;
	/** Milliseconds since the epoch. */
	readonly at: number;
	readonly phase: Doing;
	/** The change is to come, unless another one comes first. */
	readonly isExpected?: true;
}

/** Takes the events of a run in order. An agent whose join is missing, since its line is damaged, begins with its next event. */
export class PhaseReader {
	private state: RunState = { ...EMPTY_RUN, agents: {} };
	private readonly phases = new Map<AgentId, Doing>();

	/** The changes that the event brings. */
	note(event: RunEvent): readonly PhaseChange[] {
		const { at } = event;
		const subject = "agent" in event ? event.agent : undefined;
		if (subject !== undefined && event.event !== "agent_joined" && this.state.agents[subject] === undefined)
			this.state = reduceInPlace(this.state, unknownJoin(subject, at));
		this.state = reduceInPlace(this.state, event);
		const changed = subject === undefined ? [] : this.changedBy(event, subject);
		return changed.flatMap((agent) => this.changeOf(agent, at));
	}

	private changedBy(event: RunEvent, subject: AgentId): AgentId[] {
		switch (event.event) {
			case "agent_paused":
			case "agent_continued":
				return Object.keys(this.state.agents).filter((id) => isWithin(id, subject));
			case "agent_joined":
			case "agent_resumed":
			case "agent_ended":
				return [subject, parentOf(subject) ?? subject];
			default:
				return [subject];
		}
	}

	private changeOf(id: AgentId, at: number): PhaseChange[] {
		const agent = this.state.agents[id];
		if (agent === undefined) return [];
		const phase = phaseOf(agent, at);
		const isSame = phase === this.phases.get(id) && phase !== "retrying"; // whose next try may have come meanwhile
		this.phases.set(id, phase);
		const expected = phase === "retrying" ? nextTry(agent) : undefined;
		return [
			...(isSame ? [] : [{ agent: id, at, phase }]),
			...(expected === undefined ? [] : [{ agent: id, at: expected, phase: "thinking", isExpected: true } as const]),
		];
	}
}

/** What the agent does at `at`: the wait for the next try of a call is over when that is made. */
function phaseOf(agent: Agent, at: number): Doing {
	const doing = doingOf(agent);
	return doing === "retrying" && (nextTry(agent) ?? at) <= at ? "thinking" : doing;
}

function nextTry({ state }: Agent): number | undefined {
	return state.is === "thinking" ? state.retry?.nextAt : undefined;
}

function unknownJoin(agent: AgentId, at: number): RunEvent {
	const unknown = { pid: 0, startTime: "", task: "", model: "", limits: DEFAULT_LIMITS };
	return { event: "agent_joined", at, agent, ...unknown };
}

/** The changes of each agent in order, their times never going back. */
export type RunPhases = ReadonlyMap<AgentId, readonly PhaseChange[]>;

/** So many changes of one agent are kept, the newest. */
const MOST_CHANGES = 1_000;
const DROPPED_AT_ONCE = 250;

/** Takes time in proportion to the number of agents and of changes, so it is meant for many changes at once. */
export function withChanges(phases: RunPhases, changes: readonly PhaseChange[], most = MOST_CHANGES): RunPhases {
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
		if (list.length > most) list.splice(0, DROPPED_AT_ONCE);
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
}

export interface Interval {
	readonly from: number;
	readonly to: number;
}

/** `unknown`: the agent was there, and its events are not known any more. */
export type Phase = Doing | "unknown";

export interface PhaseSpan extends Interval {
	readonly phase: Phase;
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

export function isEnd(phase: Phase): boolean {
	return phase === "answered" || phase === "stopped" || phase === "failed";
}

/** `running`, `queued`. */
export function phaseWord(phase: Phase): string {
	return phase === "unknown" ? phase : DOING_WORDS[phase].word;
}

/** `ran 1m02s`, `thought 34s`: how long it did each, the longest first. An end takes no time. */
export function timesIn(spans: readonly PhaseSpan[]): string[] {
	const sums = new Map<string, number>();
	for (const { phase, from, to } of spans) {
		const did = phase === "unknown" ? phase : DOING_WORDS[phase].did;
		if (did !== undefined) sums.set(did, (sums.get(did) ?? 0) + to - from);
	}
	const told = [...sums].filter(([, ms]) => ms > 0).sort(([, a], [, b]) => b - a);
	return told.map(([did, ms]) => `${did} ${formatDuration(ms)}`);
}

/** Of each moment what the agent did most of it; undefined where it was not there. An end is always seen. */
export function cellsOf(spans: readonly PhaseSpan[], shown: Interval, columns: number): (Phase | undefined)[] {
	const cells = Array.from({ length: columns }, () => new Map<Phase, number>());
	const columnMs = Math.max(shown.to - shown.from, 1) / columns;
	const columnOf = (at: number) => Math.min(columns - 1, Math.floor((at - shown.from) / columnMs));
	for (const { from, to, phase } of spans) {
		if (from > shown.to || to < shown.from) continue;
		if (isEnd(phase)) {
			if (from >= shown.from) cells[columnOf(from)]?.set(phase, Number.POSITIVE_INFINITY);
			continue;
		}
		const last = columnOf(Math.min(to, shown.to));
		for (let column = columnOf(Math.max(from, shown.from)); column <= last; column++) {
			const begin = shown.from + column * columnMs;
			const ms = Math.min(to, begin + columnMs) - Math.max(from, begin);
			const cell = cells[column];
			if (ms > 0) cell?.set(phase, (cell.get(phase) ?? 0) + ms);
		}
	}
	return cells.map(longestIn);
}

/** Neighbors that are alike are one run. */
export function runsOf(
	cells: readonly (Phase | undefined)[],
): { phase: Phase | undefined; from: number; cells: number }[] {
	const runs: { phase: Phase | undefined; from: number; cells: number }[] = [];
	for (const [at, phase] of cells.entries()) {
		const last = runs.at(-1);
		if (last !== undefined && last.phase === phase) last.cells++;
		else runs.push({ phase, from: at, cells: 1 });
	}
	return runs;
}

/** Of several that are equal the last. */
function longestIn(cell: ReadonlyMap<Phase, number>): Phase | undefined {
	let longest: Phase | undefined;
	let most = 0;
	for (const [phase, ms] of cell) {
		if (ms < most) continue;
		longest = phase;
		most = ms;
	}
	return longest;
}
