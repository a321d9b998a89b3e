/**
 * What is at and below each agent, counted as agents change, so that no question about a few of them walks all of them.
 * An index belongs to one record of agents, and is made when it is first asked for. `putAgent`, the only one to change a
 * record, keeps it true; `copyAgents` gives it to the copy, since the newest record is the one that is asked about.
 */

import { type Agent, type AgentId, isOver, parentOf, withAncestors } from "../model/agent.ts";
import { addUsage, NO_USAGE, roundDollars, type Usage, uncountedOf } from "../model/usage.ts";
import type { RunState } from "../schemas/run-state.ts";

export type Agents = Readonly<Record<AgentId, Agent>>;

/** How a changed agent gets into the state of a run. */
export type Put = (state: RunState, agent: Agent) => RunState;

/** An agent with all that is below it; those that have ended are in it, too, unless it says "living". */
export interface Branch {
	readonly agents: number;
	readonly living: number;
	readonly turns: number;
	readonly usage: Usage;
	/** Null when what one of them used has no known price. */
	readonly costUsd: number | null;
	readonly children: ReadonlySet<AgentId>;
	/** The highest number of a child; 0 when there was none. */
	readonly lastChild: number;
	readonly livingChildren: ReadonlySet<AgentId>;
	/** How many living children each command has. */
	readonly livingByCommand: ReadonlyMap<number, number>;
}

/** The branch of the agent; an empty one for an unknown agent. */
export function branchOf(agents: Agents, id: AgentId): Branch {
	return indexOf(agents).branches.get(id) ?? NOBODY;
}

/** Adds the agent to a record that its caller owns, or puts it in the place of the one with its id. */
export function putAgent(agents: Agents, agent: Agent): void {
	const before = agents[agent.id];
	(agents as Record<AgentId, Agent>)[agent.id] = agent;
	INDEXES.get(agents)?.changed(before, agent);
}

/** A copy of the record, in which the agent is added, or put in the place of the one with its id. */
export function withAgent(agents: Agents, agent: Agent): Agents {
	const copy = copyAgents(agents);
	putAgent(copy, agent);
	return copy;
}

/** A copy for who will change it. */
export function copyAgents(agents: Agents): Agents {
	const copy = { ...agents };
	const index = INDEXES.get(agents);
	if (index === undefined) return copy;
	INDEXES.delete(agents);
	INDEXES.set(copy, index);
	return copy;
}

const INDEXES = new WeakMap<Agents, AgentIndex>();

function indexOf(agents: Agents): AgentIndex {
	const known = INDEXES.get(agents);
	if (known !== undefined) return known;
	const index = new AgentIndex();
	for (const agent of Object.values(agents)) index.changed(undefined, agent);
	INDEXES.set(agents, index);
	return index;
}

class AgentIndex {
	readonly branches = new Map<AgentId, CountedBranch>();

	changed(before: Agent | undefined, after: Agent): void {
		if (before !== undefined && isCountedAlike(before, after)) return;
		for (const id of withAncestors(after.id)) this.branch(id).count(before, after);
		const parent = parentOf(after.id);
		if (parent !== undefined) this.branch(parent).countChild(before, after);
	}

	private branch(id: AgentId): CountedBranch {
		const known = this.branches.get(id);
		if (known !== undefined) return known;
		const made = new CountedBranch();
		this.branches.set(id, made);
		return made;
	}
}

function isCountedAlike(a: Agent, b: Agent): boolean {
	const isSpentAlike = a.turns === b.turns && a.usage === b.usage && a.costUsd === b.costUsd;
	return isSpentAlike && isOver(a) === isOver(b) && a.command === b.command;
}

/** Of an agent that has started none, which most are. */
const NO_CHILDREN: ReadonlySet<AgentId> = new Set();
const NO_COMMANDS: ReadonlyMap<number, number> = new Map();

class CountedBranch implements Branch {
	agents = 0;
	living = 0;
	turns = 0;
	usage: Usage = NO_USAGE;
	lastChild = 0;
	private below: Children | undefined;
	private knownUsd = 0;
	private unpriced = 0;

	get children(): ReadonlySet<AgentId> {
		return this.below?.all ?? NO_CHILDREN;
	}

	get livingChildren(): ReadonlySet<AgentId> {
		return this.below?.living ?? NO_CHILDREN;
	}

	get livingByCommand(): ReadonlyMap<number, number> {
		return this.below?.livingByCommand ?? NO_COMMANDS;
	}

	get costUsd(): number | null {
		return this.unpriced > 0 ? null : this.knownUsd;
	}

	count(before: Agent | undefined, after: Agent): void {
		this.agents += before === undefined ? 1 : 0;
		this.living += livingIn(after) - livingIn(before);
		this.turns += after.turns - (before?.turns ?? 0);
		if (before?.usage !== after.usage) this.usage = addUsage(this.usage, usageSince(before, after));
		this.unpriced += unpricedIn(after) - unpricedIn(before);
		this.knownUsd = roundDollars(this.knownUsd + (after.costUsd ?? 0) - (before?.costUsd ?? 0));
	}

	countChild(before: Agent | undefined, after: Agent): void {
		this.below ??= { all: new Set(), living: new Set(), livingByCommand: new Map() };
		this.below.all.add(after.id);
		this.lastChild = Math.max(this.lastChild, Number(after.id.slice(after.id.lastIndexOf(".") + 1)));
		if (before !== undefined) countLiving(this.below, before, -1);
		countLiving(this.below, after, 1);
	}
}

const NOBODY: Branch = new CountedBranch();

interface Children {
	readonly all: Set<AgentId>;
	readonly living: Set<AgentId>;
	readonly livingByCommand: Map<number, number>;
}

function countLiving({ living, livingByCommand }: Children, child: Agent, by: 1 | -1): void {
	if (isOver(child)) return;
	if (by === 1) living.add(child.id);
	else living.delete(child.id);
	const { command } = child;
	if (command !== undefined) livingByCommand.set(command, (livingByCommand.get(command) ?? 0) + by);
}

function livingIn(agent: Agent | undefined): number {
	return agent === undefined || isOver(agent) ? 0 : 1;
}

function unpricedIn(agent: Agent | undefined): number {
	return agent?.costUsd === null ? 1 : 0;
}

function usageSince(before: Agent | undefined, { usage }: Agent): Usage {
	const { input, output, cacheRead, cacheWrite, uncounted = 0 } = before?.usage ?? NO_USAGE;
	const tokens = { input: -input, output: -output, cacheRead: -cacheRead, cacheWrite: -cacheWrite };
	return addUsage(usage, { ...tokens, ...uncountedOf(-uncounted) });
}
