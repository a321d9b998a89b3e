/**
 * A limit binds an agent and everything below it. A child's limits are its parent's, narrowed by what it asked
 * for: never widened. Since every ancestor's limits are checked on every start, inheritance needs no counting.
 */

export interface Limits {
	/** Levels below this agent. */
	readonly maxDepth: number;
	/** Agents ever started in this subtree, this agent included. */
	readonly maxAgents: number;
	/** Living children of one agent. */
	readonly maxChildren: number;
	/** Agents of this subtree that are active at once. */
	readonly maxConcurrency: number;
	/** Turns of one agent. */
	readonly maxTurns: number;
	/** Turns of this subtree together. */
	readonly maxTotalTurns: number;
	/** Wall clock of this subtree, milliseconds from the agent's join. */
	readonly maxTimeMs: number;
	/** Living processes of this subtree, agents and all that their commands have started. */
	readonly maxProcesses: number;
	/** Dollars that all model calls of this subtree may cost; absent: no such limit, since JSON has no infinity. */
	readonly maxBudgetUsd?: number;
	/** Tokens of all model calls of this subtree, in and out, cached ones too; absent: no such limit. */
	readonly maxTokens?: number;
}

export type LimitKey = keyof Limits;

export const DEFAULT_LIMITS: Limits = {
	maxDepth: 3,
	maxAgents: 64,
	maxChildren: 16,
	maxConcurrency: 8,
	maxTurns: 50,
	maxTotalTurns: 1000,
	maxTimeMs: 3_600_000,
	maxProcesses: 2000,
};

export interface LimitRow {
	readonly key: LimitKey;
	readonly flag: string;
	readonly variable: string;
	/** The smallest value that makes sense. */
	readonly least: number;
	readonly unit: "count" | "time" | "usd";
	readonly help: string;
}

/** One row a limit: its flag, its variable, what it bounds. */
export const LIMIT_TABLE: readonly LimitRow[] = [
	{ key: "maxDepth", flag: "max-depth", variable: "AGENTREE_MAX_DEPTH", least: 0, unit: "count", help: "levels below" },
	{
		key: "maxAgents",
		flag: "max-agents",
		variable: "AGENTREE_MAX_AGENTS",
		least: 1,
		unit: "count",
		help: "agents started in all",
	},
	{
		key: "maxChildren",
		flag: "max-children",
		variable: "AGENTREE_MAX_CHILDREN",
		least: 0,
		unit: "count",
		help: "living children per agent",
	},
	{
		key: "maxConcurrency",
		flag: "max-concurrency",
		variable: "AGENTREE_MAX_CONCURRENCY",
		least: 1,
		unit: "count",
		help: "agents active at once",
	},
	{
		key: "maxTurns",
		flag: "max-turns",
		variable: "AGENTREE_MAX_TURNS",
		least: 1,
		unit: "count",
		help: "turns per agent",
	},
	{
		key: "maxTotalTurns",
		flag: "max-total-turns",
		variable: "AGENTREE_MAX_TOTAL_TURNS",
		least: 1,
		unit: "count",
		help: "turns in all",
	},
	{
		key: "maxTimeMs",
		flag: "max-time",
		variable: "AGENTREE_MAX_TIME",
		least: 1,
		unit: "time",
		help: "wall clock: 90s, 30m, 2h",
	},
	{
		key: "maxProcesses",
		flag: "max-processes",
		variable: "AGENTREE_MAX_PROCESSES",
		least: 2, // the agent and its bash
		unit: "count",
		help: "living processes in all",
	},
	{
		key: "maxBudgetUsd",
		flag: "max-budget-usd",
		variable: "AGENTREE_MAX_BUDGET_USD",
		least: 0.000001,
		unit: "usd",
		help: "dollars that model calls may cost: 0.50",
	},
	{
		key: "maxTokens",
		flag: "max-tokens",
		variable: "AGENTREE_MAX_TOKENS",
		least: 1,
		unit: "count",
		help: "tokens of model calls, in and out",
	},
];

/** The limits among `found`, which another version may have written; null is no limit that is set. */
export function knownLimits(found: Readonly<Record<string, number | null>>): Partial<Limits> {
	const known: { -readonly [K in LimitKey]?: number } = {};
	for (const { key } of LIMIT_TABLE) {
		const value = found[key];
		if (typeof value === "number") known[key] = value;
	}
	return known;
}

/** A limit that forbids a turn or a call: as its flag is named, and in words. */
export interface LimitReached {
	readonly limit: string;
	readonly reason: string;
}

/** The smaller of each. What is asked for comes from another process: only a number that makes sense is taken. */
export function narrow(inForce: Limits, asked: Partial<Limits>): Limits {
	const narrowed: { -readonly [K in keyof Limits]: Limits[K] } = { ...inForce };
	for (const { key, least } of LIMIT_TABLE) {
		const value: unknown = asked[key];
		if (typeof value !== "number" || !(value >= least) || value === Number.POSITIVE_INFINITY) continue;
		narrowed[key] = Math.min(inForce[key] ?? value, value);
	}
	return narrowed;
}

/** What a child of an agent with the limits `parent` gets: one level less, and narrowed by what it asks for. */
export function limitsOfChild(parent: Limits, asked: Partial<Limits>): Limits {
	return narrow({ ...parent, maxDepth: parent.maxDepth - 1 }, asked);
}
