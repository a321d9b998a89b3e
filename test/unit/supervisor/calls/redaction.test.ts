import { expect, test } from "vitest";
import type { AssistantBlock } from "../../../../src/core/model/message.ts";
import type { ModelDelta, ModelOutcome } from "../../../../src/core/model/model.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { redactedOutcome, redactedPieces } from "../../../../src/supervisor/calls/retrying-call.ts";
import { keepSecrets } from "../../../../src/text/safe/keep-secrets.ts";

const KEY = "sk-ant-of-this-test-1";

keepSecrets([KEY, "sk-1-sk-1-sk-2"]);

test("what a service says of the key reaches nobody; thinking stays to the byte", () => {
	const failure: ModelOutcome = { is: "failure", reason: `no ${KEY} at http://a:b@h/`, exitCode: 1, usage: NO_USAGE };
	expect(redactedOutcome(failure)).toEqual({ ...failure, reason: "no [redacted] at http://a:[redacted]@h/" });
	const content = (key: string): AssistantBlock[] => [
		{ type: "thinking", thinking: KEY, signature: "s" },
		{ type: "text", text: `it is ${key}, for http://a:b@h/` },
		{ type: "tool_use", id: "a", name: "bash", input: { command: `curl -H ${key}` } },
	];
	const of = { stopReason: "tool_use", usage: NO_USAGE, model: "m" };
	const reply: ModelOutcome = { is: "reply", content: content(KEY), ...of };
	expect(redactedOutcome(reply)).toEqual({ ...reply, content: content("[redacted]") });
	// Seen to fail: an unknown stop reason is a part of the words with which its agent fails.
	const words = (key: string) => ({
		...{ stopReason: `stop ${key}`, stopWords: `for ${key}`, model: `m-${key}` },
		...{ requestId: `r-${key}`, messageId: `i-${key}` },
	});
	expect(redactedOutcome({ ...reply, ...words(KEY) })).toEqual({
		...reply,
		content: content("[redacted]"),
		...words("[redacted]"),
	});
});

function shown(...given: ModelDelta[]): ModelDelta[] {
	const emitted: ModelDelta[] = [];
	const pieces = redactedPieces((piece) => emitted.push(piece));
	for (const piece of given) pieces.take(piece);
	pieces.end();
	return emitted;
}

const text = (words: string, block = 0): ModelDelta => ({ kind: "text", text: words, block });

// Seen to fail (the key, in two pieces) with each piece redacted by itself.
test("a secret is taken out however it is cut, and all else comes as it came", () => {
	const words = "it is sk-1-sk-1-sk-1-sk-2! and sk-1-sk";
	for (let size = 1; size < words.length; size++) {
		const cut = words.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
		const joined = shown(...cut.map((piece) => text(piece)));
		expect([size, joined.map((piece) => piece.text).join("")]).toEqual([size, "it is sk-1-[redacted]! and sk-1-sk"]);
	}
});

test("what is held back comes out before another block begins, and text that can be no secret at once", () => {
	expect(shown(text("a sk"), text("b", 1), text("c", 1))).toEqual([text("a "), text("sk"), text("b", 1), text("c", 1)]);
});

// Seen to fail: pieces stood beside each other, and what was between them was not shown.
test("a secret that is disguised is taken out however it is cut, and what fills it takes no room", () => {
	const words = "it%20is s\u200bk-\\u0031-\x1b[1msk-1-sk%2d2! a&b sk-1\n";
	for (let size = 1; size < words.length; size++) {
		const cut = words.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
		const joined = shown(...cut.map((piece) => text(piece)));
		expect([size, joined.map((piece) => piece.text).join("")]).toEqual([size, "it%20is [redacted]! a&b sk-1\n"]);
	}
	const filled = shown(
		text("sk-1-"),
		...Array.from({ length: 20 }, () => text("\u200b".repeat(1_000))),
		text("sk-1-sk-2"),
	);
	expect(filled).toEqual([text("[redacted]")]);
});
