/**
 * Counts how often a model runs the same command and gets the same result, which it does not notice by itself. It may be
 * polling on purpose, so it is only told: the turn limit bounds it.
 */
import { ordinal } from "../../text/numbers.ts";

/** From so many times on the model is told. */
export const TOLD_FROM = 5;

export interface Repeats {
	readonly command: string;
	readonly result: string;
	/** How often in a row, this time included. */
	readonly times: number;
}

export function countRepeat(before: Repeats | undefined, command: string, result: string): Repeats {
	const isSame = before?.command === command && before.result === result;
	return { command, result, times: isSame ? before.times + 1 : 1 };
}

/** The result for the model, with a line about the repetition from TOLD_FROM times on. */
export function withRepeatNote({ result, times }: Repeats): string {
	if (times < TOLD_FROM) return result;
	const note = `[this is the ${ordinal(times)} time in a row that this command gave this result: if you wait for something, wait longer between two looks (sleep), else try another way]`;
	return `${result}${result === "" || result.endsWith("\n") ? "" : "\n"}${note}`;
}
