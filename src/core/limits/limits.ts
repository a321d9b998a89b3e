/**
 * A limit binds an agent and everything below it. A child's limits are its parent's, narrowed by what it asks for, never
 * widened. Every start checks the limits of all ancestors, so nothing is counted down on the way.
 *
 * The table has one row for each limit. The row defines its type, default, flag and variable, its lines in `--help`, in the
 * system prompt and above a transcript, what a child inherits, and the message at the limit. Only enforcing it is code
 * elsewhere: `core/run/admission.ts` for starts and turns, `supervisor/` for all others.
 */
import type { AgentId } from "../agent-id.ts";

/** How a value is typed and shown: `3`; `90s`, stored in milliseconds; `0.50`, dollars. */
export type LimitUnit = "count" | "time" | "usd";

/** Lines of the system prompt that tell several limits together; `supervisor/conversations/system-prompt.ts` composes them. */
export type PromptLine = "children" | "turns" | "budget";

interface LimitMet {
	readonly most: number;
	/** The agent whose limit it is. */
	readonly holder: AgentId;
	/** For a budget: how much of it has been used, in words. */
	readonly used?: string;
	/** For a budget: what one more call may cost, in words, where that is known. */
	readonly call?: string | undefined;
}

interface LimitRow {
	readonly key: string;
	/** The flag without dashes, which also names the variable: `max-depth`, AGENTREE_MAX_DEPTH. */
	readonly flag: string;
	readonly unit: LimitUnit;
	/** The smallest value that makes sense. */
	readonly least: number;
	/** The value when none is given; absent: unlimited. */
	readonly default?: number;
	/** What it bounds, for `--help`. */
	readonly help: string;
	/** Its text in the system prompt, a line or a part of one. `most` is the value as people read it. */
	readonly prompt: (most: string) => string;
	/** The line of the system prompt that `prompt` is a part of. */
	readonly promptLine?: PromptLine;
	/** The parts of a line stand in this order, else in that of the table; absent: 0. */
	readonly promptOrder?: number;
	/** The value of a child that asks for none; absent: its parent's. */
	readonly ofChild?: (ofParent: number) => number;
	/** The message at the limit, one line: what is reached, whose limit, what to do instead; absent: agents wait there. */
	readonly reached?: (met: LimitMet) => string;
	/** All agents below use it up together, so `reached` names the holder. */
	readonly isShared?: true;
}

const DO_IT_YOURSELF = "do this task yourself, without starting agents";

const LIMIT_ROWS = [
	{
		key: "maxDepth",
		flag: "max-depth",
		...{ unit: "count", least: 0, default: 3 },
		help: "levels of agents below the first",
		prompt: (most) => `${most} ${most === "1" ? "level" : "levels"} below you`,
		promptLine: "children",
		ofChild: (ofParent) => ofParent - 1,
		reached: ({ most, holder }) => `depth limit reached (max-depth ${most} below agent ${holder}): ${DO_IT_YOURSELF}`,
	},
	{
		key: "maxAgents", // ever started, the agent itself included
		flag: "max-agents",
		...{ unit: "count", least: 1, default: 64 },
		help: "agents started in total",
		prompt: (most) => `${most} agents in total, you and all below you included`,
		...{ promptLine: "children", promptOrder: 1 },
		reached: ({ most, holder }) =>
			`agent limit reached (max-agents ${most} from agent ${holder} down, all used): ${DO_IT_YOURSELF}`,
	},
	{
		key: "maxChildren",
		flag: "max-children",
		...{ unit: "count", least: 0, default: 16 },
		help: "live children per agent",
		prompt: (most) => `${most} alive at once`,
		promptLine: "children",
		reached: ({ most }) =>
			`child limit reached (max-children ${most} alive at once): wait for one of your agents to end (agent --wait-for-place waits in line), or do this task yourself`,
	},
	{
		key: "maxConcurrency",
		flag: "max-concurrency",
		...{ unit: "count", least: 1, default: 8 },
		help: "agents active at once",
		prompt: (most) => `${most} active at once (others wait)`,
		...{ promptLine: "children", promptOrder: 2 },
	},
	{
		key: "maxTurns",
		flag: "max-turns",
		...{ unit: "count", least: 1, default: 50 },
		help: "turns per agent",
		prompt: (most) => `${most} for you`,
		promptLine: "turns",
		reached: ({ most }) => `turn limit reached (max-turns ${most})`,
	},
	{
		key: "maxTotalTurns",
		flag: "max-total-turns",
		...{ unit: "count", least: 1, default: 1000 },
		help: "turns of all agents together",
		prompt: (most) => `${most} for you and all below you together`,
		promptLine: "turns",
		reached: ({ most, holder }) => `turn limit reached (max-total-turns ${most} from agent ${holder} down)`,
		isShared: true,
	},
	{
		key: "maxTimeMs", // from the agent's join
		flag: "max-time",
		...{ unit: "time", least: 1, default: 3_600_000 },
		help: "wall-clock time: 90s, 30m, 2h",
		prompt: (most) =>
			`Time: ${most} for you and all below you. Shortly before the end your commands are stopped, and you can only report.`,
		reached: ({ most, holder }) =>
			`time limit reached (max-time ${most / 1000} s for agent ${holder} and all below it)`,
	},
	{
		key: "maxProcesses", // agents, and all that their commands have started
		flag: "max-processes",
		...{ unit: "count", least: 2, default: 2000 }, // the agent and its bash
		help: "live processes in total",
		prompt: (most) =>
			`Processes: ${most} at once for you and all below you. Above that, the agent with the most processes is ended.`,
		reached: ({ most, holder }) => `process limit reached (max-processes ${most} for agent ${holder} and all below it)`,
	},
	{
		key: "maxBudgetUsd", // of all model calls
		flag: "max-budget-usd",
		...{ unit: "usd", least: 0.000001 },
		help: "cost of model calls in dollars: 0.50",
		prompt: (most) => most,
		promptLine: "budget",
		reached: (met) => budgetReached("max-budget-usd", met),
		isShared: true,
	},
	{
		key: "maxTokens", // of all model calls; cached ones count, too
		flag: "max-tokens",
		...{ unit: "count", least: 1 },
		help: "tokens of model calls, input and output",
		prompt: (most) => `${most} tokens (in, out and cached)`,
		promptLine: "budget",
		reached: (met) => budgetReached("max-tokens", met),
		isShared: true,
	},
] as const satisfies readonly LimitRow[];

function budgetReached(flag: string, { most, holder, used, call }: LimitMet): string {
	const cost = call === undefined ? "" : `, which could cost ${call}`;
	return `budget reached (${flag} ${most} from agent ${holder} down: ${used} used, and the rest is not enough for another call${cost})`;
}

type Row = (typeof LIMIT_ROWS)[number];
type RowWithDefault = Extract<Row, { default: number }>;
/** A limit with a message: it refuses something or ends an agent. */
type EndingLimit = Extract<Row, { reached: unknown }>;

export type LimitKey = Row["key"];

/** The value of each limit by its key. A limit without a default may be absent, since JSON has no infinity. */
export type Limits = { readonly [R in RowWithDefault as R["key"]]: number } & {
	readonly [R in Exclude<Row, RowWithDefault> as R["key"]]?: number;
};

export interface Limit extends LimitRow {
	readonly key: LimitKey;
	readonly variable: string;
}

export const LIMIT_TABLE: readonly Limit[] = LIMIT_ROWS.map((row) => ({
	...row,
	variable: variableOfFlag(row.flag),
}));

export const DEFAULT_LIMITS = Object.fromEntries(
	LIMIT_TABLE.flatMap(({ key, default: value }) => (value === undefined ? [] : [[key, value]])),
) as unknown as Limits;

/** The known limits in `found`, which another version may have written; null stands for a limit that is not set. */
export function knownLimits(found: Readonly<Record<string, number | null>>): Partial<Limits> {
	const known: { -readonly [K in LimitKey]?: number } = {};
	for (const { key } of LIMIT_TABLE) {
		const value = found[key];
		if (typeof value === "number") known[key] = value;
	}
	return known;
}

/** A limit that forbids a turn or a call: the name of its flag, and the reason in words. */
export interface LimitReached {
	readonly limit: string;
	readonly reason: string;
}

export function limitReached(key: EndingLimit["key"], met: LimitMet): LimitReached {
	const { flag, reached } = LIMIT_ROWS.find((row) => row.key === key) as EndingLimit;
	return { limit: flag, reason: reached(met) };
}

/** The limit of a flag, given without dashes. */
export function limitOfFlag(flag: string): Limit | undefined {
	return LIMIT_TABLE.find((limit) => limit.flag === flag);
}

/** The smaller value of each limit. `asked` comes from another process, so values that make no sense are ignored. */
export function narrow(inForce: Limits, asked: Partial<Limits>): Limits {
	const narrowed: { -readonly [K in keyof Limits]: Limits[K] } = { ...inForce };
	for (const { key, least } of LIMIT_TABLE) {
		const value: unknown = asked[key];
		if (typeof value !== "number" || !(value >= least) || value === Number.POSITIVE_INFINITY) continue;
		narrowed[key] = Math.min(inForce[key] ?? value, value);
	}
	return narrowed;
}

/** The limits of a child: what those of its parent leave it, narrowed by what it asks for. */
export function limitsOfChild(parent: Limits, asked: Partial<Limits>): Limits {
	const left: { -readonly [K in keyof Limits]: Limits[K] } = { ...parent };
	for (const { key, ofChild } of LIMIT_TABLE) {
		const value = parent[key];
		if (value !== undefined && ofChild !== undefined) left[key] = ofChild(value);
	}
	return narrow(left, asked);
}

/** Limits as a person sets them anew, narrower or wider; null takes one away that has no default. What is wrong, or all of them. */
export function changedLimits(
	inForce: Limits,
	changes: Readonly<Record<string, number | null>>,
): { readonly is: "limits"; readonly limits: Limits } | { readonly is: "wrong"; readonly reason: string } {
	const changed: { -readonly [K in keyof Limits]: Limits[K] } = { ...inForce };
	for (const { key, flag, least, default: usual } of LIMIT_TABLE) {
		const value = changes[key];
		if (value === undefined) continue;
		if (value === null && usual !== undefined)
			return { is: "wrong", reason: `--${flag} cannot be removed: set it to a number` };
		if (value !== null && value < least) return { is: "wrong", reason: `--${flag}: at least ${least}, not ${value}` };
		if (value === null) delete (changed as Partial<Record<LimitKey, number>>)[key];
		else changed[key] = value;
	}
	return { is: "limits", limits: changed };
}

/** The variable of an option: `--max-depth`, given without dashes, is AGENTREE_MAX_DEPTH. */
export function variableOfFlag(flag: string): string {
	return `AGENTREE_${flag.toUpperCase().replaceAll("-", "_")}`;
}
