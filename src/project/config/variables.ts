/** Reads settings of a whole run that only variables set, each described by a row. */
import { AgentreeError } from "../../core/errors.ts";
import { parseDuration } from "./duration.ts";

export interface VariableRow<Key> {
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
export function readVariables<T extends object>(
	env: Readonly<Record<string, string | undefined>>,
	rows: readonly VariableRow<keyof T>[],
	defaults: T,
): T {
	const set = rows.flatMap((row) => {
		const text = env[row.variable];
		return text === undefined || text === "" ? [] : [[row.key, readVariable(row, text)]];
	});
	return { ...defaults, ...Object.fromEntries(set) };
}

function readVariable({ variable, kind, least = 0 }: VariableRow<unknown>, text: string): number {
	const { parse, most, words } = KINDS[kind];
	const value = parse(text);
	if (value === undefined || value < least || value > most)
		throw new AgentreeError("usage", `${variable} must be ${words}, not "${text}"`);
	return value;
}

function parsePercent(text: string): number | undefined {
	return /^\d{1,3}%?$/.test(text) ? Number.parseInt(text, 10) : undefined;
}

const UNITS: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** `4096`, `500M`, `2g`, `1GiB` → bytes; undefined for anything else. */
export function parseBytes(text: string): number | undefined {
	const [, amount, unit = ""] = /^(\d{1,12})([KMGT]?)i?B?$/i.exec(text) ?? [];
	return amount === undefined ? undefined : Number(amount) * (UNITS[unit.toUpperCase()] ?? 1);
}
