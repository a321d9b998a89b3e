/**
 * A model that runs the same command and gets the same result again and again does not see it by itself. People poll
 * on purpose, so it is told, and nothing else happens: the turn limit bounds it.
 */
import { ordinal } from "../../text/numbers.ts";

export const TOLD_FROM = 5;

export interface Repeats {
	readonly command: string;
	readonly result: string;
	/** In a row, this one included. */
	readonly times: number;
}

export function countRepeat(before: Repeats | undefined, command: string, result: string): Repeats {
	const isSame = before?.command === command && before.result === result;
	return { command, result, times: isSame ? before.times + 1 : 1 };
}

/** The result for the model: with one more line when there is something to say. */
export function withRepeatNote({ result, times }: Repeats): string {
	if (times < TOLD_FROM) return result;
	const note = `[this is the ${ordinal(times)} time in a row that this command gave this result: if you wait for something, wait longer between two looks (sleep), else try another way]`;
	return `${result}${result === "" || result.endsWith("\n") ? "" : "\n"}${note}`;
}
