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

/** One row a limit: its flag, its variable, what it bounds. `least` is the smallest value that makes sense. */
export const LIMIT_TABLE: readonly {
	key: LimitKey;
	flag: string;
	variable: string;
	least: number;
	isTime: boolean;
	help: string;
}[] = [
	{ key: "maxDepth", flag: "max-depth", variable: "AGENTREE_MAX_DEPTH", least: 0, isTime: false, help: "levels below" },
	{
		key: "maxAgents",
		flag: "max-agents",
		variable: "AGENTREE_MAX_AGENTS",
		least: 1,
		isTime: false,
		help: "agents started in all",
	},
	{
		key: "maxChildren",
		flag: "max-children",
		variable: "AGENTREE_MAX_CHILDREN",
		least: 0,
		isTime: false,
		help: "living children per agent",
	},
	{
		key: "maxConcurrency",
		flag: "max-concurrency",
		variable: "AGENTREE_MAX_CONCURRENCY",
		least: 1,
		isTime: false,
		help: "agents active at once",
	},
	{
		key: "maxTurns",
		flag: "max-turns",
		variable: "AGENTREE_MAX_TURNS",
		least: 1,
		isTime: false,
		help: "turns per agent",
	},
	{
		key: "maxTotalTurns",
		flag: "max-total-turns",
		variable: "AGENTREE_MAX_TOTAL_TURNS",
		least: 1,
		isTime: false,
		help: "turns in all",
	},
	{
		key: "maxTimeMs",
		flag: "max-time",
		variable: "AGENTREE_MAX_TIME",
		least: 1,
		isTime: true,
		help: "wall clock: 90s, 30m, 2h",
	},
	{
		key: "maxProcesses",
		flag: "max-processes",
		variable: "AGENTREE_MAX_PROCESSES",
		least: 2, // the agent and its bash
		isTime: false,
		help: "living processes in all",
	},
];

/** The smaller of each. What is asked for comes from another process: only a number that makes sense is taken. */
export function narrow(inForce: Limits, asked: Partial<Limits>): Limits {
	const narrowed = { ...inForce };
	for (const { key, least } of LIMIT_TABLE) {
		const value: unknown = asked[key];
		if (typeof value === "number" && value >= least) narrowed[key] = Math.min(inForce[key], value);
	}
	return narrowed;
}

/** What a child of an agent with the limits `parent` gets: one level less, and narrowed by what it asks for. */
export function limitsOfChild(parent: Limits, asked: Partial<Limits>): Limits {
	return narrow({ ...parent, maxDepth: parent.maxDepth - 1 }, asked);
}
