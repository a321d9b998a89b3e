/**
 * The bytes of a file as text and back, so that what is not changed stays byte for byte: UTF-8 with or without a mark at
 * its beginning, UTF-16 with one, and any other one-byte encoding, whose bytes above ASCII are kept as they are. Pure.
 */

export interface FileText {
	readonly text: string;
	/** The bytes begin with a mark of their encoding, which is no part of the text. */
	readonly hasMark: boolean;
	/** Text from outside is another one in this encoding. */
	readonly isByteForByte: boolean;
	/** How text from outside, which is UTF-8, is written in the encoding of the file. */
	readonly own: (text: string) => string;
	readonly bytesOf: (text: string) => Buffer;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const LITTLE_ENDIAN_MARK = Buffer.from([0xff, 0xfe]);
const BIG_ENDIAN_MARK = Buffer.from([0xfe, 0xff]);

const asItIs = (text: string) => text;

/** Undefined for bytes that are no text: those with a NUL, but in UTF-16. */
export function fileTextOf(bytes: Buffer): FileText | undefined {
	if (startsWith(bytes, LITTLE_ENDIAN_MARK)) return utf16(bytes, LITTLE_ENDIAN_MARK, asItIs16);
	if (startsWith(bytes, BIG_ENDIAN_MARK)) return utf16(bytes, BIG_ENDIAN_MARK, swapped);
	if (bytes.includes(0)) return undefined;
	const mark = startsWith(bytes, UTF8_MARK) ? UTF8_MARK : Buffer.alloc(0);
	const body = bytes.subarray(mark.length);
	const text = decodedUtf8(body);
	if (text !== undefined)
		return {
			...{ text, hasMark: mark.length > 0, isByteForByte: false, own: asItIs },
			bytesOf: (changed) => Buffer.concat([mark, Buffer.from(changed, "utf8")]),
		};
	return {
		...{ text: bytes.toString("latin1"), hasMark: false, isByteForByte: true },
		own: (given) => Buffer.from(given, "utf8").toString("latin1"),
		bytesOf: (changed) => Buffer.from(changed, "latin1"),
	};
}

function utf16(bytes: Buffer, mark: Buffer, order: (bytes: Buffer) => Buffer): FileText | undefined {
	const body = bytes.subarray(mark.length);
	if (body.length % 2 !== 0) return undefined;
	return {
		...{ text: order(body).toString("utf16le"), hasMark: true, isByteForByte: false, own: asItIs },
		bytesOf: (changed) => Buffer.concat([mark, order(Buffer.from(changed, "utf16le"))]),
	};
}

function asItIs16(bytes: Buffer): Buffer {
	return bytes;
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
