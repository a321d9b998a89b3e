import { expect, test } from "vitest";
import type { Message } from "../../../../src/core/model/message.ts";
import type { ModelRequest } from "../../../../src/core/model/model.ts";
import {
	NOTHING_COUNTED,
	promptTokensAtMost,
	ratioAfter,
	tokensAtMost,
	withShorterResults,
} from "../../../../src/supervisor/decide/prompt-estimate.ts";

const asked: Message = { role: "user", content: [{ type: "text", text: "count" }] };
const called: Message = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "bash", input: {} }] };
const result = (content: string): Message => ({
	role: "user",
	content: [{ type: "tool_result", tool_use_id: "a", content }],
});
const before: Message = { role: "user", content: [{ type: "text", text: "words ".repeat(1000) }] };
const request = (...messages: Message[]): ModelRequest => ({ system: "s", tools: [], messages, mayUseTools: true });

test("a token is taken for two bytes, whatever the script, and for one where there is no white space for long", () => {
	expect([tokensAtMost("abcd"), tokensAtMost("abcde"), tokensAtMost("日本"), tokensAtMost("")]).toEqual([2, 3, 3, 0]);
	const line = "QUJD".repeat(19);
	expect(tokensAtMost(`${line}\n${line}\n`)).toBe(2 * line.length + 1);
	expect(tokensAtMost(`${"x".repeat(39)} ${"y".repeat(40)}`)).toBe(20 + 40);
});

test("results of many short lines are no long run, a line of base64 is one, as they are sent", () => {
	const added = (content: string) =>
		promptTokensAtMost(request(before, called, result(content)), { tokens: 1000, ratio: 1 }) - 1000;
	expect(added("1001\n".repeat(400))).toBeLessThan(1400); // six bytes a line
	expect(added("C:\\new ".repeat(400))).toBeLessThan(2000);
	expect(added("QUJD".repeat(500))).toBeGreaterThanOrEqual(2000);
	expect(added("QUJD".repeat(500))).toBeLessThan(2200);
});

test("what the service counts above the estimate raises all later ones of the agent, and less lowers none", () => {
	const known = { tokens: 1000, ratio: 1 };
	expect(ratioAfter(known, { counted: 2500, estimated: 2000 })).toBe(1.5);
	expect(ratioAfter({ ...known, ratio: 1.5 }, { counted: 2200, estimated: 2000 })).toBeCloseTo(1.8);
	expect(ratioAfter({ ...known, ratio: 1.5 }, { counted: 1400, estimated: 2000 })).toBe(1.5);
	expect(ratioAfter({ ...known, ratio: 1.5 }, { counted: 9000, estimated: 2000 })).toBe(2); // a byte a token
	expect(ratioAfter(known, { counted: 1200, estimated: 1010 })).toBe(1); // says nothing of the text
	expect(ratioAfter(NOTHING_COUNTED, { counted: 3000, estimated: 2000 })).toBe(1.5);
	const long = request(before, called, result("look at it ".repeat(1000)));
	const [plain, raised] = [1, 1.5].map((ratio) => promptTokensAtMost(long, { tokens: 1000, ratio }) - 1000);
	expect(raised).toBe(Math.ceil((plain ?? 0) * 1.5));
});

test("a first prompt is estimated whole, a later one from what the service counted and what is new", () => {
	const first = promptTokensAtMost(request(asked), NOTHING_COUNTED);
	expect(first).toBe(600 + Math.ceil(8 / 3) + tokensAtMost(JSON.stringify([asked]))); // ["s",[]] has 8 bytes
	const later = request(asked, called, result("xxxx ".repeat(2000)));
	const added = promptTokensAtMost(later, { tokens: 700, ratio: 1 }) - 700;
	expect(added).toBeGreaterThan(5000);
	expect(added).toBeLessThan(5100);
	expect(promptTokensAtMost(request(asked), { tokens: 900_000, ratio: 1 })).toBe(first); // the history was cut since
});

test("results of the newest calls are cut to what is asked for, all else stays as it is", () => {
	const sent = [asked, called, result("y".repeat(5000)), called];
	const long = request(...sent, result(`${"😀".repeat(9000)}`));
	const cut = withShorterResults(long, 1000);
	expect(cut.messages.slice(0, 4)).toEqual(sent);
	const [newest] = cut.messages.slice(4);
	expect(tokensAtMost(JSON.stringify(newest))).toBeLessThanOrEqual(1000);
	expect(JSON.stringify(newest)).toMatch(/\\n\[cut: the budget has no room for more\]/);
	expect(
		newest?.role === "user" && newest.content[0]?.type === "tool_result" && newest.content[0].content.isWellFormed(),
	).toBe(true);
	expect(withShorterResults(request(...sent, result("short")), 1000).messages.at(-1)).toEqual(result("short"));
});
