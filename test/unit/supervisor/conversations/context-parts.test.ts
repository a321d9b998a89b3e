import { expect, test } from "vitest";
import type { Message } from "../../../../src/core/model/message.ts";
import { SUMMARY_FOLLOWS } from "../../../../src/core/model/placeholder-texts.ts";
import { contextParts } from "../../../../src/supervisor/conversations/conversation.ts";

const MESSAGES: Message[] = [
	{ role: "user", content: [{ type: "text", text: "count" }] },
	{ role: "user", content: [{ type: "text", text: `${SUMMARY_FOLLOWS}before` }] },
	{
		role: "assistant",
		content: [
			{ type: "thinking", thinking: "hm", signature: "s" },
			{ type: "text", text: "look" },
			{ type: "tool_use", id: "a", name: "bash", input: { command: "ls" } },
		],
	},
	{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x".repeat(10_000) }] },
];

test("the tokens that were counted are shared out by what each part has of the whole", () => {
	const facts = { messages: MESSAGES, system: "be brief. Test all.", instructions: "Test all.", countedTokens: 10_000 };
	const { parts, isEstimated } = contextParts(facts);
	expect(isEstimated).toBe(false);
	expect(Object.values(parts).every((part) => part > 0)).toBe(true);
	expect(Math.abs(Object.values(parts).reduce((sum, part) => sum + part, 0) - 10_000)).toBeLessThan(9);
	expect(parts.results).toBeGreaterThan(parts.messages + parts.answers + parts.calls + parts.summary);
});

test.each([undefined, 0, 15])(
	"where %s tokens were counted the parts are estimated by their sizes",
	(countedTokens) => {
		const { parts, isEstimated } = contextParts({
			...{ messages: MESSAGES, system: "be brief", instructions: undefined, countedTokens },
		});
		expect([Math.round(parts.results / 100), parts.instructions, isEstimated]).toEqual([34, 0, true]);
	},
);
