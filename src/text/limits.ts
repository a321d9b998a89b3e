/** Limits as people read them. */
import type { LimitUnit } from "../core/limit-table.ts";
import { formatDuration } from "./durations.ts";
import { formatDollars } from "./money.ts";

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
