/**
 * The values that messages and files are made of. Both come from other processes, and a file may be damaged, of another
 * version, or made by an agent: what is relied on is checked once, by a schema, so that nothing behind it throws or
 * counts with a text. What is parsed has the keys that its schema names and no others.
 */
import * as v from "valibot";
import { type AgentId, isAgentId, isWithin, ROOT } from "../agent-id.ts";

const LATEST_MS = 8.64e15; // beyond, a Date is invalid
const MAX_PATH_CHARS = 1_000; // no agent is that deep, and a longer path would be walked level by level

export const text = v.string();
/** From 0 to below 1. */
export const share = v.custom<number>(
	(value) => typeof value === "number" && value >= 0 && value < 1,
	"a share below 1",
);
/** JSON has no NaN, but `1e999` is read as Infinity. */
export const number = v.custom<number>((value) => Number.isFinite(value), "a finite number");
/** Of bytes, or of times that something happened. */
export const count = v.custom<number>((value) => isWhole(value, 0, Number.MAX_SAFE_INTEGER), "a whole number");
/** Milliseconds since the epoch. */
export const time = v.custom<number>((value) => typeof value === "number" && Math.abs(value) <= LATEST_MS, "a time");
export const pid = v.custom<number>((value) => Number.isSafeInteger(value) && Number(value) > 0, "a process id");
/** As kill(2) takes it; the shell's exit status for it is 128 more. */
export const signal = v.custom<number>((value) => isWhole(value, 1, 64), "a signal's number");
export const exitStatus = v.custom<number>((value) => isWhole(value, 0, 255), "an exit status");
export const agentId = v.custom<AgentId>(
	(value) => typeof value === "string" && value.length <= MAX_PATH_CHARS && isAgentId(value) && isWithin(value, ROOT),
	"an agent's path",
);

/** The number of a command among those of its agent: 1, 2, … */
export const commandNumber = v.custom<number>((value) => isWhole(value, 1, 1e9), "a command's number");

/** The path of a command's log below its agent's directory, from which no name leads out: `out/0003.log`. */
export const logPath = v.pipe(text, v.regex(/^out\/[\w+-]{1,40}\.log$/, "a path out/0001.log"));

/** A key that may be absent; where it is there its value is not undefined. */
export const optional = v.exactOptional;

/** Makes the type of the parsed value read-only; the value itself is not frozen. */
export function readonly<const S extends v.GenericSchema>(schema: S) {
	return v.pipe(schema, v.readonly());
}

export function listOf<const S extends v.GenericSchema>(item: S) {
	return readonly(v.array(item));
}

type KindSchema<K extends string> = v.ObjectSchema<
	v.ObjectEntries & Record<K, v.LiteralSchema<string, undefined>>,
	undefined
>;

/**
 * One of several shapes, told apart by the text under `key`, as v.variant does it; but here the shape is looked up, while
 * v.variant tries one after the other.
 */
export function oneOf<const K extends string, const S extends KindSchema<K>>(key: K, shapes: readonly S[]) {
	const byKind = new Map<unknown, S>(shapes.map((shape) => [shape.entries[key].literal, shape]));
	return v.lazy((value): S | v.NeverSchema<undefined> => byKind.get(isObject(value) ? value[key] : undefined) ?? NONE);
}

const NONE = v.never();

function isWhole(value: unknown, least: number, most: number): boolean {
	return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Tokens. `input` is what was neither read from nor written to the cache. `uncounted`: the calls that were answered without a
 * word of what they used, which is in none of the numbers; absent: none.
 */
export const UsageSchema = v.object({
	input: number,
	output: number,
	cacheRead: number,
	cacheWrite: number,
	uncounted: optional(number),
});
export type Usage = v.InferOutput<typeof UsageSchema>;

/** Dollars; null when the price of a model is not known. */
export const CostSchema = v.nullable(number);
