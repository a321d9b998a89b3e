/** Text between `$'` and `'`, in which bash knows numbers of characters, too. */
import type { Characters } from "./characters.ts";
import { ANY } from "./pattern.ts";

const ESCAPES: Readonly<Record<string, string>> = {
	...{ n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", v: "\v" },
	...{ "\\": "\\", "'": "'", '"': '"', "?": "?" },
};
/** How many digits a number has at most, and of which kind. */
const NUMBERS: Readonly<Record<string, RegExp>> = {
	x: /[0-9A-Fa-f]{1,2}/y,
	u: /[0-9A-Fa-f]{1,4}/y,
	U: /[0-9A-Fa-f]{1,8}/y,
};

/** Goes past the closing quote. Undefined when there is none; `ANY` for what is not worked out. */
export function ansiQuoted(source: Characters): string | undefined {
	let text = "";
	let isKnown = true;
	while (!source.isOver) {
		const char = source.next();
		if (char === "'") return isKnown ? text : ANY;
		const piece = char === "\\" ? escaped(source) : char;
		isKnown &&= piece !== undefined;
		text += piece ?? "";
	}
	return undefined;
}

function escaped(source: Characters): string | undefined {
	const octal = source.match(/[0-7]{1,3}/y);
	if (octal !== "") return character(Number.parseInt(octal, 8) & 0xff);
	const char = source.next();
	const digits = NUMBERS[char];
	if (digits === undefined) return ESCAPES[char];
	const number = source.match(digits);
	return number === "" ? undefined : character(Number.parseInt(number, 16));
}

/** Bash ends the text at a NUL; bytes above ASCII are parts of characters. */
function character(code: number): string | undefined {
	return code === 0 || code > 0x7e ? undefined : String.fromCharCode(code);
}
