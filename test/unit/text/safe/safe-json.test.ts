import { expect, test } from "vitest";
import { escapeJson, safeJson } from "../../../../src/text/safe/invisible.ts";

const HOSTILE = "a\u001b[2Jb\u009b31mc\u007fd\u202ee\u2066f\u061cg\u200bh\u2028i\u{e0061}j\ud800k\r\nl\0";

test("what a terminal obeys or hides is escaped, and parses to the same text", () => {
	const json = safeJson({ [HOSTILE]: HOSTILE });
	expect(json).toMatch(/^[ -~]+$/);
	expect(JSON.parse(json)).toEqual({ [HOSTILE]: HOSTILE.replace("\ud800", "\ud800") });
	expect(safeJson("\u009b\u{e0061}")).toBe('"\\u009b\\udb40\\udc61"');
});

test("letters, emoji and their joiners are left as they are, and indentation is kept", () => {
	expect(safeJson({ a: ["é 日本 👩🏽‍🚀 ❤️"] }, "\t")).toBe('{\n\t"a": [\n\t\t"é 日本 👩🏽‍🚀 ❤️"\n\t]\n}');
});

test("control characters between the values of somebody else's JSON become spaces", () => {
	const line = '{"a":\r1,\t"b":"\u009b"}\r';
	expect(escapeJson(line)).toBe('{"a": 1,\t"b":"\\u009b"} ');
	expect(JSON.parse(escapeJson(line))).toEqual(JSON.parse(line));
});
