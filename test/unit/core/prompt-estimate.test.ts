import { expect, test } from "vitest";
import type { Message, ModelRequest } from "../../../src/core/model.ts";
import { promptTokensAtMost, tokensAtMost, withShorterResults } from "../../../src/core/prompt-estimate.ts";

const asked: Message = { role: "user", content: [{ type: "text", text: "count" }] };
const called: Message = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "bash", input: {} }] };
const result = (content: string): Message => ({
	role: "user",
	content: [{ type: "tool_result", tool_use_id: "a", content }],
});
const request = (...messages: Message[]): ModelRequest => ({ system: "s", tools: [], messages, mayUseTools: true });

test("a token is taken for two bytes, whatever the script", () => {
	expect([tokensAtMost("abcd"), tokensAtMost("abcde"), tokensAtMost("日本"), tokensAtMost("")]).toEqual([2, 3, 3, 0]);
});

test("a first prompt is estimated whole, a later one from what the service counted and what is new", () => {
	const first = promptTokensAtMost(request(asked), undefined);
	expect(first).toBe(600 + Math.ceil(8 / 3) + tokensAtMost(JSON.stringify([asked]))); // ["s",[]] has 8 bytes
	const later = request(asked, called, result("x".repeat(10_000)));
	const added = promptTokensAtMost(later, 700) - 700;
	expect(added).toBeGreaterThan(5000);
	expect(added).toBeLessThan(5050);
	expect(promptTokensAtMost(request(asked), 900_000)).toBe(first); // the history was cut since
});

test("results of the newest calls are cut to what is asked for, all else stays as it is", () => {
	const before = [asked, called, result("y".repeat(5000)), called];
	const long = request(...before, result(`${"😀".repeat(9000)}`));
	const cut = withShorterResults(long, 1000);
	expect(cut.messages.slice(0, 4)).toEqual(before);
	const [newest] = cut.messages.slice(4);
	expect(tokensAtMost(JSON.stringify(newest))).toBeLessThanOrEqual(1000);
	expect(JSON.stringify(newest)).toMatch(/\\n\[cut: the budget has no room for more\]/);
	expect(
		newest?.role === "user" && newest.content[0]?.type === "tool_result" && newest.content[0].content.isWellFormed(),
	).toBe(true);
	expect(withShorterResults(request(...before, result("short")), 1000).messages.at(-1)).toEqual(result("short"));
});
