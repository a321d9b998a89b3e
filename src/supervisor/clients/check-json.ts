/**
 * A check of a long line before JSON.parse makes values of it: a few bytes can stand for a value that takes fifty, so what is
 * to be parsed is bounded by its values, not by its bytes alone. Inside of strings nothing counts.
 */
import { MAX_LEVELS } from "../../core/nesting.ts";

const SHORT_BYTES = 64 * 1024; // whatever is in them is parsed within a few milliseconds
const MAX_VALUES = 500_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What is wrong with the line; undefined when it may be parsed, whether it is JSON or not. */
export function tooMuchIn(line: Buffer): string | undefined {
	if (line.length <= SHORT_BYTES) return undefined;
	let levels = 0;
	let values = 0;
	for (let at = 0; at < line.length; at++) {
		const byte = line[at];
		if (byte === QUOTE) at = endOfString(line, at + 1);
		else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
			levels += 1;
			values += 1;
			if (levels > MAX_LEVELS) return `a message that is nested more than ${MAX_LEVELS} levels deep`;
		} else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) levels -= 1;
		else if (byte === COMMA || byte === COLON) values += 1;
		if (values > MAX_VALUES) return `a message of more than ${MAX_VALUES} values`;
	}
	return undefined;
}

/** Where the string that began before `from` has its closing quote; the end of the line when it has none. */
function endOfString(line: Buffer, from: number): number {
	for (let end = line.indexOf(QUOTE, from); end >= 0; end = line.indexOf(QUOTE, end + 1)) {
		let slashes = 0;
		while (line[end - 1 - slashes] === BACKSLASH) slashes += 1;
		if (slashes % 2 === 0) return end;
	}
	return line.length;
}
