import { expect, test } from "vitest";
import { type InputLine, inputLines, readStreamLine } from "../../../../src/cli/stream/stream-input.ts";

const read = (line: string | object) =>
	readStreamLine(new TextEncoder().encode(typeof line === "string" ? line : JSON.stringify(line)));
const user = (content: unknown) => ({ type: "user", message: { role: "user", content } });

test.each<[string | object, string]>([
	[user("fix it"), "fix it"],
	[
		user([
			{ type: "text", text: "a" },
			{ type: "text", text: "b" },
		]),
		"a\nb",
	],
	[{ ...user("x"), session_id: "", parent_tool_use_id: null }, "x"],
	[{ type: "user", message: { content: "no role" } }, "no role"],
	[`\ufeff${JSON.stringify(user("behind a byte order mark"))}`, "behind a byte order mark"],
	[`  ${JSON.stringify(user("-"))}\r`, "-"],
])("the line %j says %j", (line, text) => {
	expect(read(line)).toEqual({ is: "message", text });
});

test.each<[string | object, RegExp]>([
	["garbage", /^it is not JSON .*a message is \{"type":"user"/],
	["[]", /^it is not an object/],
	["null", /^it is not an object/],
	['"text"', /^it is not an object/],
	[{}, /^its type is missing/],
	[{ type: "assistant" }, /^its type is "assistant"/],
	[{ type: "user" }, /^it has no "message"/],
	[{ type: "user", message: { role: "assistant", content: "x" } }, /^its role is "assistant"/],
	[user(undefined), /^its content is neither text/],
	[user(7), /^its content is neither text/],
	[user([{ type: "image", source: {} }]), /^its content is neither text/],
	[user([{ type: "text" }]), /^its content is neither text/],
	[user([]), /^its content is empty/],
	[user(" \n"), /^its content is empty/],
	[user("x".repeat(1_000_001)), /^it has more than 1000000 characters/],
])("the line %.60j is not taken", (line, why) => {
	expect(read(line)).toEqual({ is: "wrong", why: expect.stringMatching(why) });
});

test("bytes that are no UTF-8 are not taken, and blank lines and keep_alive are nothing", () => {
	expect(readStreamLine(Uint8Array.of(0x22, 0xff, 0x22))).toEqual({ is: "wrong", why: "it is not UTF-8" });
	expect([read(""), read(" \t\r"), read({ type: "keep_alive" })]).toEqual(Array(3).fill({ is: "nothing" }));
});

test("an interruption is asked for by a control request, and no other is known", () => {
	const request = (subtype: unknown) => ({ type: "control_request", request_id: "r1", request: { subtype } });
	expect(read(request("interrupt"))).toEqual({ is: "interrupt", id: "r1" });
	const why = 'unknown request "set_model": use "interrupt" or "answer"';
	expect(read(request("set_model"))).toEqual({ is: "unknown_request", id: "r1", why });
	expect(read({ type: "control_request" })).toMatchObject({ is: "unknown_request", id: "" });
});

test("an answer names its question, and what is none is told with its shape", () => {
	const request = (facts: object) => ({
		type: "control_request",
		request_id: "r2",
		request: { subtype: "answer", ...facts },
	});
	const answer = (written: object) => ({ is: "answer", id: "r2", question: 3, written });
	expect(read(request({ question: 3, answer: "80" }))).toEqual(answer({ answer: "80" }));
	expect(read(request({ question: 3, answer: "no", words: "later" }))).toEqual(
		answer({ answer: "no", words: "later" }),
	);
	for (const wrong of [{}, { question: "3", answer: "80" }, { question: 3 }, { question: 3, answer: "no", words: 7 }])
		expect(read(request(wrong))).toMatchObject({ is: "unknown_request", why: expect.stringContaining('"question":1') });
});

async function linesOf(chunks: readonly string[], most?: number): Promise<string[]> {
	async function* input() {
		for (const chunk of chunks) yield new TextEncoder().encode(chunk);
	}
	const shown = (line: InputLine) =>
		`${line.number} ${line.is === "line" ? new TextDecoder().decode(line.bytes) : line.is}`;
	const lines: string[] = [];
	for await (const line of inputLines(input(), most)) lines.push(shown(line));
	return lines;
}

test("lines are put together over any split, and the last one need not end", async () => {
	expect(await linesOf(["a", "b\nc\n", "\nd", "é"])).toEqual(["1 ab", "2 c", "3 ", "4 dé"]);
	expect(await linesOf([])).toEqual([]);
	expect(await linesOf(["a\n"])).toEqual(["1 a"]);
});

test("a line that is too long is passed over, and the next one is read", async () => {
	expect(await linesOf(["12345", "6\nok\n", "1234567890"], 5)).toEqual(["1 too_long", "2 ok", "3 too_long"]);
	expect(await linesOf(["12345\n"], 5)).toEqual(["1 12345"]);
});
