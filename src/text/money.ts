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
