/** Counts as people read them. */

/** `950`, `12.3k`, `1.2M`. */
export function formatTokens(tokens: number): string {
	if (tokens < 1000) return String(tokens);
	if (tokens < 999_950) return `${(tokens / 1000).toFixed(1)}k`;
	return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** `1 turn`, `12 turns`. */
export function counted(count: number, one: string): string {
	return `${count} ${one}${count === 1 ? "" : "s"}`;
}

/** `1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`. */
export function ordinal(n: number): string {
	const isTeen = n % 100 >= 11 && n % 100 <= 13;
	return `${n}${(isTeen ? undefined : ["th", "st", "nd", "rd"][n % 10]) ?? "th"}`;
}

/** Dollars as people read them. */

/** `$0.0123`, `$12.35`; `-` for nothing; `?` when a price is not known. */
export function formatCost(usd: number | null): string {
	if (usd === null) return "?";
	if (usd === 0) return "-";
	if (usd < 0.0001) return "<$0.0001";
	return usd < 1 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** `$0.42`, `$12`, `$0.005`: for a budget, and for what was spent of it. */
export function formatDollars(usd: number): string {
	if (Number.isInteger(usd)) return `$${usd}`;
	return usd !== 0 && Math.abs(usd) < 0.1 ? `$${Number(usd.toFixed(4))}` : `$${usd.toFixed(2)}`;
}
