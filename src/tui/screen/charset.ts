/** What a terminal can show of Unicode, and what stands for the rest: pure. */

/** `wide_ambiguous`: it draws lines, arrows and many letters two columns wide, as terminals for Chinese and Japanese may. */
export type Charset = "unicode" | "wide_ambiguous" | "ascii";

/** The character, or an ASCII one in its place. `width`: the columns that it takes in `unicode`; they stay the same. */
export function inCharset(character: string, width: number, charset: Charset): string {
	if (charset === "unicode" || character <= "~") return character;
	if (charset === "wide_ambiguous" && width === 2) return character;
	return STAND_INS.get(character) ?? byBlock(character) ?? withoutAccent(character) ?? "?";
}

/** The charset that the locale names; Unicode when it names none. */
export function localeCharset({ LC_ALL, LC_CTYPE, LANG }: Readonly<Record<string, string | undefined>>): Charset {
	const locale = LC_ALL || LC_CTYPE || LANG;
	return locale === undefined || locale === "" || /utf-?8/i.test(locale) ? "unicode" : "ascii";
}

const STAND_INS: ReadonlyMap<string, string> = new Map(
	[
		["─┄┈╌‐‑‒–—―−▬", "-"],
		["━═┅┉╍▂▃▄", "="],
		["│┆┊╎├┤┃┇┋╏║▏▎▍▌▐▕❘¦", "|"],
		["┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬▓█▅▆▇▉▊▋", "#"],
		["■◼", "&"],
		["▁", "_"],
		["░▒·◌∙", "."],
		["●◉⬤•★", "*"],
		["◆◈", "%"],
		["○◯□◇◻°", "o"],
		["✓✔", "+"],
		["✗✘✕✖×", "x"],
		["↻↺⟳⟲", "@"],
		["→▸▶►⇒›", ">"],
		["←◂◀◄⇐‹", "<"],
		["↑▴▲⇑", "^"],
		["↓▾▼⇓", "v"],
		["…", "~"],
		["⚠¡", "!"],
		["‘’‚′´", "'"],
		["“”„″«»‖∥", '"'],
		["\u00a0\u2002\u2003\u2009\u202f\u3000", " "],
	].flatMap(([characters = "", standIn = ""]) => [...characters].map((character) => [character, standIn] as const)),
);

const BLOCKS: readonly (readonly [from: string, to: string, standIn: string])[] = [
	["\u2190", "\u21ff", ">"], // arrows
	["\u2500", "\u257f", "+"], // corners and crossings of lines
	["\u2580", "\u259f", "#"], // blocks
	["\u25a0", "\u25ff", "*"], // shapes
	["\u2800", "\u28ff", ":"], // Braille
];

function byBlock(character: string): string | undefined {
	return BLOCKS.find(([from, to]) => character >= from && character <= to)?.[2];
}

function withoutAccent(character: string): string | undefined {
	const [letter = ""] = character.normalize("NFD");
	return letter <= "~" && letter !== "" ? letter : undefined;
}

/**
 * Asks the terminal what it makes of a character of several bytes: it writes one, asks where the cursor is, and takes it away
 * again. The locale tells of the programs of a machine, not of the terminal at the other end of a line.
 */
/**
 * One column in all terminals that read UTF-8, three in those that take each byte for a character. Both of its later bytes are
 * printable in Latin-1, too, so none of them is obeyed.
 */
const THREE_BYTES = "\u2820";
/** Two columns where ambiguous characters are wide. */
const AMBIGUOUS = "\u00b1";

const ASK_CURSOR = "\u001b[6n";
const HOME = "\u001b[H";
const ERASE = "\u001b[K";

export const CHARSET_QUESTION = `${HOME}${THREE_BYTES}${ASK_CURSOR}${HOME}${AMBIGUOUS}${ASK_CURSOR}${HOME}${ERASE}`;

/** Of an answer to `ASK_CURSOR`. */
export function cursorColumn(answer: string): number | undefined {
	const [, column] = /^\u001b\[\d+;(\d+)R$/.exec(answer) ?? [];
	return column === undefined ? undefined : Number(column);
}

/** The cursor's columns, counted from 1, in the order of the answers; undefined while one is missing. */
export function charsetFrom([afterThreeBytes, afterAmbiguous]: readonly number[]): Charset | undefined {
	if (afterThreeBytes === undefined || afterAmbiguous === undefined) return undefined;
	if (afterThreeBytes !== 2) return "ascii";
	return afterAmbiguous === 2 ? "unicode" : "wide_ambiguous";
}
