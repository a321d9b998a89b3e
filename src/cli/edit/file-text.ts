/**
 * The bytes of a file as text and back, so that what is not changed stays byte for byte, and what is put into it is in the encoding of
 * the file: UTF-8 with or without a mark at its beginning, UTF-16 with one, Latin-1 and Windows-1252. Into any other one only
 * ASCII is put. Pure.
 */

export interface FileText {
	readonly is: "text";
	readonly text: string;
	/** The bytes begin with a mark of their encoding, which is no part of the text. */
	readonly hasMark: boolean;
	/** Each character stands for a byte, which may be a part of one. */
	readonly isByteForByte: boolean;
	/** Why text from outside cannot be written in the encoding of the file; undefined when it can. */
	readonly whyNot: (given: string) => string | undefined;
	readonly bytesOf: (text: string) => Buffer;
}

export interface NoText {
	readonly is: "no_text";
	readonly why: string;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const LITTLE_ENDIAN_MARK = Buffer.from([0xff, 0xfe]);
const BIG_ENDIAN_MARK = Buffer.from([0xfe, 0xff]);
const UTF32_MARKS = [Buffer.from([0xff, 0xfe, 0, 0]), Buffer.from([0, 0, 0xfe, 0xff])];

export function fileTextOf(bytes: Buffer): FileText | NoText {
	if (UTF32_MARKS.some((mark) => startsWith(bytes, mark))) return noText("it is UTF-32");
	if (startsWith(bytes, LITTLE_ENDIAN_MARK)) return utf16(bytes, LITTLE_ENDIAN_MARK, (body) => body);
	if (startsWith(bytes, BIG_ENDIAN_MARK)) return utf16(bytes, BIG_ENDIAN_MARK, swapped);
	if (bytes.includes(0)) return withNul(bytes);
	if (/\x1b\$[@B]/.test(bytes.toString("latin1"))) return noText("it is ISO-2022-JP");
	const mark = startsWith(bytes, UTF8_MARK) ? UTF8_MARK : Buffer.alloc(0);
	const text = decodedUtf8(bytes.subarray(mark.length));
	if (text === undefined) return inOld(bytes);
	return {
		...{ is: "text", text, hasMark: mark.length > 0, isByteForByte: false, whyNot: () => undefined },
		bytesOf: (changed) => Buffer.concat([mark, Buffer.from(changed, "utf8")]),
	};
}

function utf16(bytes: Buffer, mark: Buffer, order: (bytes: Buffer) => Buffer): FileText | NoText {
	const body = bytes.subarray(mark.length);
	if (body.length % 2 !== 0) return { is: "no_text", why: "it is UTF-16 that ends inside a character" };
	return {
		...{ is: "text", text: order(body).toString("utf16le"), hasMark: true, isByteForByte: false },
		whyNot: () => undefined,
		bytesOf: (changed) => Buffer.concat([mark, order(Buffer.from(changed, "utf16le"))]),
	};
}

/** Text of UTF-16 has a NUL in nearly each character of ASCII, and always on the same side. */
function withNul(bytes: Buffer): NoText {
	const sides = [0, 0];
	for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) sides[at % 2] = (sides[at % 2] ?? 0) + 1;
	const [even = 0, odd = 0] = sides;
	if (bytes.length % 2 === 0 && Math.min(even, odd) === 0 && Math.max(even, odd) > bytes.length / 8)
		return noText(`it is UTF-16 without a byte order mark (UTF-16${odd > 0 ? "LE" : "BE"})`);
	const why = `it is not text: it has a NUL at byte ${bytes.indexOf(0) + 1}; use another program for such files`;
	return { is: "no_text", why };
}

function noText(encoding: string): NoText {
	return {
		is: "no_text",
		why: `${encoding}, which is not supported: change a copy in UTF-8 and convert it with iconv`,
	};
}

function inOld(bytes: Buffer): FileText {
	const latin1 = bytes.toString("latin1");
	const encoding = oldEncodingOf(bytes, latin1);
	const is1252 = encoding.is === "one_byte" && encoding.name === "Windows-1252";
	return {
		...{ is: "text", text: is1252 ? fromWindows1252(latin1) : latin1 },
		...{ hasMark: false, isByteForByte: encoding.is !== "one_byte" },
		whyNot: (given) => whyNotIn(encoding, given),
		bytesOf: (changed) => Buffer.from(is1252 ? toWindows1252(changed) : changed, "latin1"),
	};
}

function whyNotIn(encoding: OldEncoding, given: string): string | undefined {
	if (encoding.is === "one_byte") {
		const char = lacking(given, encoding.name);
		if (char === undefined) return undefined;
		const { name, iconv } = encoding;
		return `it is ${name}, which cannot represent ${named(char)}; ${converted(iconv)}`;
	}
	const other = /[^\0-\x7f]/u.exec(given)?.[0];
	if (other === undefined) return undefined;
	const only = `${named(other)} cannot be written to it, only ASCII`;
	switch (encoding.is) {
		case "several_bytes": {
			const [likeliest = ""] = encoding.names;
			const names = encoding.names.join(" or ");
			return `it is not UTF-8 but perhaps ${names}: ${only}; ${converted(likeliest.toUpperCase())}`;
		}
		case "broken_utf8":
			return `it is UTF-8 except for line ${encoding.line}: ${only} until that is fixed`;
		case "unknown":
			return `it is not UTF-8, and its encoding is unknown: ${only}; ${converted("ENCODING")}`;
	}
}

function converted(from: string): string {
	return `for a copy that takes any text: iconv -f ${from} -t UTF-8`;
}

function named(char: string): string {
	return JSON.stringify(char);
}

function swapped(bytes: Buffer): Buffer {
	return Buffer.from(bytes).swap16();
}

function startsWith(bytes: Buffer, mark: Buffer): boolean {
	return bytes.subarray(0, mark.length).equals(mark);
}

/** Undefined when they are not UTF-8. */
function decodedUtf8(bytes: Buffer): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

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
function oldEncodingOf(bytes: Buffer, latin1: string): OldEncoding {
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
function fromWindows1252(latin1: string): string {
	return latin1.replace(/[\x80-\x9f]/g, (char) => UPPER[char.charCodeAt(0) - 0x80] ?? char);
}

function toWindows1252(text: string): string {
	return text.replace(/[^\0-\xff]/g, (char) => String.fromCharCode(UPPER.indexOf(char) + 0x80));
}

/** The first character that it has not, or that may be another one there; undefined: it has all. */
function lacking(text: string, name: "Latin-1" | "Windows-1252"): string | undefined {
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
