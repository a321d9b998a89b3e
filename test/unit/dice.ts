/** Choices that look random and are the same in every run of the tests (mulberry32). */
export interface Dice {
	/** 0 … below - 1. */
	roll(below: number): number;
	pick<T>(list: readonly T[]): T | undefined;
}

export function diceOf(seed: number): Dice {
	let state = seed >>> 0;
	const roll = (below: number) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
	return { roll, pick: (list) => (list.length === 0 ? undefined : list[roll(list.length)]) };
}
