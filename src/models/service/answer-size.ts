import { formatBytes } from "../../core/bytes.ts";
import { isDeeper } from "../../core/json-value.ts";

/** What a service sent is larger than anything that it has to send; another try would bring the same. */
export class TooLarge extends Error {
	override readonly name = "TooLarge";
}

/**
 * How large an answer may become. Its agent sends it back with each later question, so one that could not be sent would end
 * the agent, and not the call alone.
 */

const MAX_CHARS = 16 * 1024 * 1024; // some 60 for each token of the longest answer
const MAX_VALUES = 50_000; // one of a hundred calls has some hundreds
const MAX_DEPTH = 200; // far above any sensible call
const BLOCK_CHARS = 64; // about what an empty block takes

export class AnswerSize {
	/** So far. */
	chars = 0;
	private values = 0;

	/** To be told of all that stays in the answer: the fields that came, and whether a block began with them. Throws TooLarge. */
	add(fields: object, isNewBlock = false): void {
		const strings = Object.values(fields).filter((value) => typeof value === "string");
		this.chars += strings.reduce((sum, { length }) => sum + length, isNewBlock ? BLOCK_CHARS : 0);
		if (this.chars > MAX_CHARS) throw new TooLarge(`the service's answer has more than ${formatBytes(MAX_CHARS)}`);
		const lists = Object.values(fields).filter((value) => typeof value === "object" && value !== null);
		if (isNewBlock) this.values += Object.keys(fields).length;
		this.values += valuesIn(lists);
		if (this.values > MAX_VALUES) throw new TooLarge(`the service's answer has more than ${MAX_VALUES} values`);
	}
}

/** Throws for content that is nested too deep to be written or walked. Another answer may not be. */
export function checkDepth(content: readonly object[]): void {
	if (content.some((block) => isDeeper(block, MAX_DEPTH)))
		throw new Error(`it is nested more than ${MAX_DEPTH} levels deep`);
}

/** For the input of a call, which comes as a text: whether it may be sent back. */
export function isSendable(input: unknown): boolean {
	return !isDeeper(input, MAX_DEPTH - 1) && valuesIn(input) <= MAX_VALUES;
}

/** The number of all values inside of a value; what is nested deeper than any answer may be counts as nothing. */
function valuesIn(value: unknown, levels = MAX_DEPTH): number {
	if (typeof value !== "object" || value === null || levels === 0) return 0;
	return Object.values(value).reduce((sum: number, inner) => sum + 1 + valuesIn(inner, levels - 1), 0);
}
