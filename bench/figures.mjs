/** Small sums over what was measured. */

export function median(values) {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)];
}

/** The mean of the middle half: what the rest of the machine does falls on the others. */
export function middleMean(values) {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.slice(Math.floor(sorted.length / 4), Math.ceil((sorted.length * 3) / 4));
	return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/** So that a kept figure reads as it was printed. */
export function rounded(value, digits = 2) {
	return Number(value.toFixed(digits));
}
