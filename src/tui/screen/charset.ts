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
