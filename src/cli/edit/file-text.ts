/**
 * The bytes of a file as text and back, so that what is not changed stays byte for byte, and what is put into it is in the encoding of
 * the file: UTF-8 with or without a mark at its beginning, UTF-16 with one, Latin-1 and Windows-1252. Into any other one only
 * ASCII is put. Pure.
 */
import { fromWindows1252, lacking, type OldEncoding, oldEncodingOf, toWindows1252 } from "./old-encoding.ts";

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
	if (body.length % 2 !== 0) return { is: "no_text", why: "it is UTF-16 that ends within a character" };
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
		return noText(`it is UTF-16 without a mark at its beginning (UTF-16${odd > 0 ? "LE" : "BE"})`);
	const why = `it is no text: it has a NUL at byte ${bytes.indexOf(0) + 1}; other programs write such files`;
	return { is: "no_text", why };
}

function noText(encoding: string): NoText {
	return {
		is: "no_text",
		why: `${encoding}, which is not written here: change a copy in UTF-8, and convert that with iconv`,
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
		return `it is ${name}, in which ${named(char)} is not there, or may be another one; ${converted(iconv)}`;
	}
	const other = /[^\0-\x7f]/u.exec(given)?.[0];
	if (other === undefined) return undefined;
	const only = `${named(other)} cannot be written into it, only ASCII`;
	switch (encoding.is) {
		case "several_bytes": {
			const [likeliest = ""] = encoding.names;
			const names = encoding.names.join(" or ");
			return `it is not UTF-8 but perhaps ${names}: ${only}; ${converted(likeliest.toUpperCase())}`;
		}
		case "broken_utf8":
			return `it is UTF-8, but for line ${encoding.line}: ${only} as long as that is not put right`;
		case "unknown":
			return `it is not UTF-8, and what it is cannot be told: ${only}; ${converted("ENCODING")}`;
	}
}

function converted(from: string): string {
	return `iconv -f ${from} -t UTF-8 makes a copy that takes any text`;
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
