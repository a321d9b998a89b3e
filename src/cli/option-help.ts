/** What `--help` says of an option: of a limit its default, too. */

import { DEFAULT_LIMITS, LIMIT_TABLE } from "../core/limits.ts";
import { formatDuration } from "../text/durations.ts";
import { formatDollars } from "../text/money.ts";

export function optionHelp(flag: string, help: string): string {
	const row = LIMIT_TABLE.find((limit) => limit.flag === flag);
	if (row === undefined) return help;
	const value = DEFAULT_LIMITS[row.key];
	if (value === undefined) return `${help} (default: no limit)`;
	const shown = row.unit === "time" ? formatDuration(value) : row.unit === "usd" ? formatDollars(value) : value;
	return `${help} (default: ${String(shown).replace(/(h|m)00[ms]$/, "$1")})`;
}
