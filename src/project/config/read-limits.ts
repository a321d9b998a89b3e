/** Reads limits from flags and variables. A flag takes precedence; a wrong value is a usage error that names its flag or variable. */
import { AgentreeError } from "../../core/errors.ts";
import { LIMIT_TABLE, type LimitKey, type Limits, type LimitUnit } from "../../core/limits/limits.ts";
import { parseDuration } from "./variables.ts";

/** The limits that are given. `text`: the value that was typed for a flag, named without dashes. Throws AgentreeError("usage"). */
export function readLimits(
	text: (flag: string) => string | undefined,
	env: Readonly<Record<string, string | undefined>>,
): Partial<Limits> {
	const limits: { -readonly [K in LimitKey]?: number } = {};
	for (const { key, flag, variable, least, unit } of LIMIT_TABLE) {
		const given = text(flag);
		const value = given ?? (env[variable] || undefined); // an empty variable counts as not set
		if (value !== undefined) limits[key] = READERS[unit](given === undefined ? variable : `--${flag}`, value, least);
	}
	return limits;
}

const READERS: Record<LimitUnit, (name: string, value: string, least: number) => number> = {
	count: readCount,
	time: readTime,
	usd: readDollars,
};

function readDollars(name: string, value: string, least: number): number {
	const dollars = /^(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})$/.test(value) ? Number(value) : Number.NaN;
	if (!(dollars >= least)) throw usage(`${name} must be an amount of dollars such as 5 or 0.50, not "${value}"`);
	return dollars;
}

function readCount(name: string, value: string, least: number): number {
	const count = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
	if (!(count >= least)) throw usage(`${name} must be a whole number of ${least} or more, not "${value}"`);
	return count;
}

/** A time of 1 ms or more; `name`: of its flag or variable. Throws AgentreeError("usage"). */
export function readTime(name: string, value: string): number {
	const ms = parseDuration(value);
	if (ms === undefined || ms < 1) throw usage(`${name} must be a time such as 90s, 30m or 2h, not "${value}"`);
	return ms;
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
