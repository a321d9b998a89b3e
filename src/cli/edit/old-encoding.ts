/**
 * Which encoding bytes have that are no UTF-8, as far as they tell it. Text may be written into a file only where its encoding is
 * certain enough that the text means the same there: else the file would have two of them. Pure.
 */

export type OldEncoding =
	| { readonly is: "one_byte"; readonly name: "Latin-1" | "Windows-1252"; readonly iconv: string }
	/** Those in which all bytes make sense, the likeliest first. */
	| { readonly is: "several_bytes"; readonly names: readonly string[] }
	/** UTF-8, but for bytes of which the first is in the line. */
	| { readonly is: "broken_utf8"; readonly line: number }
	| { readonly is: "unknown" };

/** What `0x80` to `0x9f` are in Windows-1252; those that are none stay what they are. */
const UPPER = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
/** In ISO-8859-15 they are others, and nothing in the bytes tells which it is. */
const ELSEWHERE = /[¤¦¨´¸¼½¾]/u;
const UTF8_CHARACTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;
/** As one-byte encodings of Europe's west never have them: signs within words, and what Windows-1252 has no character for. */
const NOT_WESTERN =
	/[\x81\x8d\x8f\x90\x9d]|[A-Za-z\xc0-\xff][\x82-\x84\x86-\x89\x8b\x91\x93-\x95\x98\x99\x9b\xa1-\xac\xae-\xb6\xb8-\xbf][A-Za-z\xc0-\xff]/;
const SEVERAL_BYTES = [
	["shift_jis", "Shift_JIS", /[\u3040-\u30ff]/],
	["euc-jp", "EUC-JP", /[\u3040-\u30ff]/],
	["gbk", "GBK", undefined],
	["big5", "Big5", undefined],
	["euc-kr", "EUC-KR", /[\uac00-\ud7af]/],
] as const;

/** `latin1`: the bytes, each as a character. */
export function oldEncodingOf(bytes: Buffer, latin1: string): OldEncoding {
	const high = latin1.match(/[\x80-\xff]/g)?.length ?? 0;
	const characters = latin1.match(UTF8_CHARACTER) ?? [];
	const inCharacters = characters.reduce((sum, { length }) => sum + length, 0);
	if (characters.length > high - inCharacters) return { is: "broken_utf8", line: brokenLine(latin1) };
	const names = severalBytes(bytes);
	if (names.length > 0) return { is: "several_bytes", names };
	const inWords = (latin1.match(/[\xc0-\xff]{3,}/g) ?? []).join("").length; // as Cyrillic and Greek words have them
	if (NOT_WESTERN.test(latin1) || inWords > high / 2) return { is: "unknown" };
	return /[\x80-\x9f]/.test(latin1)
		? { is: "one_byte", name: "Windows-1252", iconv: "WINDOWS-1252" }
		: { is: "one_byte", name: "Latin-1", iconv: "ISO-8859-1" };
}

/** The bytes, each as a character, as text of Windows-1252. */
export function fromWindows1252(latin1: string): string {
	return latin1.replace(/[\x80-\x9f]/g, (char) => UPPER[char.charCodeAt(0) - 0x80] ?? char);
}

export function toWindows1252(text: string): string {
	return text.replace(/[^\0-\xff]/g, (char) => String.fromCharCode(UPPER.indexOf(char) + 0x80));
}

/** The first character that it has not, or that may be another one there; undefined: it has all. */
export function lacking(text: string, name: "Latin-1" | "Windows-1252"): string | undefined {
	return [...text].find((char) => {
		if (name === "Windows-1252") return char > "\xff" ? !UPPER.includes(char) : /[\x80-\x9f]/.test(char);
		return char > "\xff" || /[\x80-\x9f]/.test(char) || ELSEWHERE.test(char);
	});
}

function brokenLine(latin1: string): number {
	const before = latin1.replaceAll(UTF8_CHARACTER, "x").split(/[\x80-\xff]/, 1)[0] ?? "";
	return before.split("\n").length;
}

/** Western text makes single characters of them at most, between letters of ASCII. */
function severalBytes(bytes: Buffer): string[] {
	const found = SEVERAL_BYTES.flatMap(([label, name, usual]) => {
		const text = decoded(bytes, label);
		if (text === undefined || /[\ue000-\uf8ff]/.test(text) || !/[^\0-\x7f]{2}/.test(text)) return [];
		return [{ name, isUsual: usual?.test(text) === true }];
	});
	return found.sort((a, b) => Number(b.isUsual) - Number(a.isUsual)).map(({ name }) => name);
}

/** Undefined, too, where this Node does not know the encoding. */
function decoded(bytes: Buffer, label: string): string | undefined {
	try {
		return new TextDecoder(label, { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}
