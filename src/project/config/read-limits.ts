/**
 * Reads limits from flags and variables, and settings of a whole run that only variables set. A flag takes precedence; a wrong value is a
 * usage error that names its flag or variable.
 */
import { LIMIT_TABLE, type LimitKey, type Limits, type LimitUnit } from "../../core/limits/limits.ts";
import { type Bounds, DEFAULT_BOUNDS } from "../../core/limits/shortage.ts";
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "../../core/model/model.ts";
import { type Environment, type Given, refuse } from "./given.ts";

/** The limits that are given. `text`: the value that was typed for a flag, named without dashes. Throws AgentreeError("usage"). */
export function readLimits(text: (flag: string) => string | undefined, env: Environment): Partial<Limits> {
	const limits: { -readonly [K in LimitKey]?: number } = {};
	for (const { key, flag, variable, least, unit } of LIMIT_TABLE) {
		const typed = text(flag);
		if (typed !== undefined) limits[key] = READERS[unit]({ name: `--${flag}`, text: typed }, least);
		else if (env[variable]) limits[key] = READERS[unit]({ name: variable, text: env[variable] }, least);
	}
	return limits;
}

const READERS: Record<LimitUnit, (given: Given, least: number) => number> = {
	count: readCount,
	time: readTime,
	usd: readDollars,
};

function readDollars(given: Given, least: number): number {
	const isAmount = /^(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})$/.test(given.text) && Number(given.text) >= least;
	return isAmount ? Number(given.text) : refuse(given, "must be an amount of dollars such as 5 or 0.50");
}

function readCount(given: Given, least: number): number {
	const isCount = /^\d{1,12}$/.test(given.text) && Number(given.text) >= least;
	return isCount ? Number(given.text) : refuse(given, `must be a whole number of ${least} or more`);
}

/** A time of 1 ms or more. Throws AgentreeError("usage"). */
export function readTime(given: Given): number {
	return parseDuration(given.text) || refuse(given, "must be a time such as 90s, 30m or 2h");
}

/** A setting of a whole run that only a variable sets. */
interface VariableRow<Key> {
	readonly key: Key;
	readonly variable: string;
	readonly kind: keyof typeof KINDS;
	readonly least?: number;
}

const MAX_MS = 86_400_000;

const KINDS = {
	bytes: { parse: parseBytes, most: Number.POSITIVE_INFINITY, words: "a size such as 500M or 2G" },
	percent: { parse: parsePercent, most: 100, words: "a percentage such as 10%" },
	time: { parse: parseDuration, most: MAX_MS, words: "a time such as 90s or 10m, at most 24h" },
} as const;

/** The values of the rows' variables, else the defaults. An empty variable counts as not set. Throws AgentreeError("usage"). */
function readVariables<T extends object>(env: Environment, rows: readonly VariableRow<keyof T>[], defaults: T): T {
	const set = rows.flatMap((row) => {
		const text = env[row.variable];
		return text ? [[row.key, readVariable(row, text)]] : [];
	});
	return { ...defaults, ...Object.fromEntries(set) };
}

function readVariable({ variable, kind, least = 0 }: VariableRow<unknown>, text: string): number {
	const { parse, most, words } = KINDS[kind];
	const value = parse(text);
	const isRight = value !== undefined && value >= least && value <= most;
	return isRight ? value : refuse({ name: variable, text }, `must be ${words}`);
}

function parsePercent(text: string): number | undefined {
	return /^\d{1,3}%?$/.test(text) ? Number.parseInt(text, 10) : undefined;
}

const SIZES: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** `4096`, `500M`, `2g`, `1GiB` → bytes; undefined for anything else. */
function parseBytes(text: string): number | undefined {
	const [, amount, unit = ""] = /^(\d{1,12})([KMGT]?)i?B?$/i.exec(text) ?? [];
	return amount === undefined ? undefined : Number(amount) * (SIZES[unit.toUpperCase()] ?? 1);
}

/** How much of the machine a run may use: AGENTREE_MAX_OUTPUT=2G, AGENTREE_KEEP_FREE_DISK=1G, AGENTREE_KEEP_FREE_MEMORY=10%. */
export const BOUND_VARIABLES: readonly VariableRow<keyof Bounds>[] = [
	{ key: "maxOutputBytes", variable: "AGENTREE_MAX_OUTPUT", kind: "bytes" },
	{ key: "keepFreeDiskBytes", variable: "AGENTREE_KEEP_FREE_DISK", kind: "bytes" },
	{ key: "keepFreeMemoryPercent", variable: "AGENTREE_KEEP_FREE_MEMORY", kind: "percent" },
];

/** The bounds that the environment sets, with defaults for the others. Throws AgentreeError("usage"). */
export function readBounds(env: Environment): Bounds {
	return readVariables(env, BOUND_VARIABLES, DEFAULT_BOUNDS);
}

/** The retry policy, for slow or flaky services: AGENTREE_MAX_SILENCE=90s, AGENTREE_RETRY_TIME=10m, AGENTREE_RETRY_WAIT=1s. */
export const RETRY_VARIABLES: readonly VariableRow<keyof RetryPolicy>[] = [
	{ key: "maxSilenceMs", variable: "AGENTREE_MAX_SILENCE", kind: "time", least: 1 },
	{ key: "retryTimeMs", variable: "AGENTREE_RETRY_TIME", kind: "time" }, // 0s: nothing is retried
	{ key: "retryWaitMs", variable: "AGENTREE_RETRY_WAIT", kind: "time", least: 1 },
];

/** The policy that the environment sets, with defaults for what it does not. Throws AgentreeError("usage"). */
export function readRetryPolicy(env: Environment): RetryPolicy {
	return readVariables(env, RETRY_VARIABLES, DEFAULT_RETRY_POLICY);
}

const TIMES: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `90s`, `30m`, `2h`, `1h30m` → milliseconds; undefined for anything else, such as a number without a unit. */
export function parseDuration(text: string): number | undefined {
	if (!/^(\d{1,9}(\.\d{1,3})?(ms|s|m|h|d))+$/.test(text)) return undefined;
	let ms = 0;
	for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
		ms += Number(amount) * (TIMES[unit ?? ""] ?? 0);
	return Math.round(ms);
}
