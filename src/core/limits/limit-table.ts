/**
 * All limits, one row each. The row defines the limit's type, default, flag and variable, its lines in `--help`, in the
 * system prompt and above a transcript, what a child inherits, and the message at the limit. Only enforcing it is code
 * elsewhere: `core/run/admission.ts` for starts and turns, `supervisor/` for all others.
 */
import type { AgentId } from "../agent-id.ts";

/** How a value is typed and shown: `3`; `90s`, stored in milliseconds; `0.50`, dollars. */
export type LimitUnit = "count" | "time" | "usd";

/** Lines of the system prompt that tell several limits together; `supervisor/conversations/system-prompt.ts` composes them. */
export type PromptLine = "children" | "turns" | "budget";

export interface LimitMet {
	readonly most: number;
	/** The agent whose limit it is. */
	readonly holder: AgentId;
	/** For a budget: how much of it has been used, in words. */
	readonly used?: string;
	/** For a budget: what one more call may cost, in words, where that is known. */
	readonly call?: string | undefined;
}

export interface LimitRow {
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

export const LIMIT_ROWS = [
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
			`Processes: ${most} at once for you and all below you. Above that, the agent with the most processes loses one.`,
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
