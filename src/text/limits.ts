/** Limits as people read them. */
import { DEFAULT_LIMITS, LIMIT_TABLE, type Limits, type LimitUnit, limitsOfChild } from "../core/limits/limits.ts";
import { formatDuration } from "./durations.ts";
import { formatDollars } from "./numbers.ts";

const FORMATS: Readonly<Record<LimitUnit, (value: number) => string>> = {
	count: String,
	time: formatDuration,
	usd: formatDollars,
};

/** `64`, `1h00m`, `$0.42`. */
export function formatLimit(unit: LimitUnit, value: number): string {
	return FORMATS[unit](value);
}

/** `64`, `1h`, `$0.42`; `no limit` where nothing is set. */
export function formatDefaultLimit(unit: LimitUnit, value: number | undefined): string {
	return value === undefined ? "no limit" : formatLimit(unit, value).replace(/(h|m)00[ms]$/, "$1");
}

/** `max-depth 3, max-agents 64, …`: all that are in force, named like their flags. */
export function describeLimits(limits: Limits): string {
	return described(limits, () => true);
}

/** As `describeLimits`, but only those that an agent so many levels down would not have if nobody had set any. */
export function describeSetLimits(limits: Limits, depth: number): string {
	const usual = usualLimits(depth);
	return described(limits, (key) => limits[key] !== usual[key]);
}

/** The others. */
export function describeUsualLimits(limits: Limits, depth: number): string {
	const usual = usualLimits(depth);
	return described(limits, (key) => limits[key] === usual[key]);
}

function usualLimits(depth: number): Limits {
	let usual = DEFAULT_LIMITS;
	for (let level = 0; level < depth; level++) usual = limitsOfChild(usual, {});
	return usual;
}

function described(limits: Limits, isTold: (key: keyof Limits) => boolean): string {
	return LIMIT_TABLE.flatMap(({ key, flag, unit }) => {
		const most = limits[key];
		return most === undefined || !isTold(key) ? [] : [`${flag} ${formatDefaultLimit(unit, most)}`];
	}).join(", ");
}
