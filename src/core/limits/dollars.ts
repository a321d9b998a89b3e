/**
 * Money. What a call cost, and every sum of that, is a whole number of billionths of a dollar: so sums of the same costs
 * are equal in whatever order they are made, and no noise of floating point is written anywhere. Null: no price is known.
 */
const PARTS = 1e9; // a token costs at least some hundredths of a millionth; sums are exact up to nine million dollars

export function roundDollars(usd: number): number {
	if (Math.abs(usd) >= Number.MAX_SAFE_INTEGER) return usd; // whole anyway, and times PARTS it may be infinite
	return Math.round(usd * PARTS) / PARTS;
}

export function addDollars(a: number | null, b: number | null): number | null {
	return a === null || b === null ? null : roundDollars(a + b);
}
