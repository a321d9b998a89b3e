/**
 * A limit binds an agent and everything below it. A child's limits are its parent's, narrowed by what it asks for, never
 * widened. Every start checks the limits of all ancestors, so nothing is counted down on the way.
 */
import { variableOfFlag } from "./flag-variable.ts";
import { LIMIT_ROWS, type LimitMet, type LimitRow } from "./limit-table.ts";

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
