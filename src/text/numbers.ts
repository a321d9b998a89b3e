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
