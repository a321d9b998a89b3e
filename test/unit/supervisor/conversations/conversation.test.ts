import { expect, test } from "vitest";
import type { Message, UserBlock } from "../../../../src/core/model/message.ts";
import type { ModelOutcome } from "../../../../src/core/model/model.ts";
import { SUMMARY_FOLLOWS } from "../../../../src/core/model/placeholder-texts.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { ASK_FOR_SUMMARY, Conversation, contextParts } from "../../../../src/supervisor/conversations/conversation.ts";
import { TOOLS } from "../../../../src/supervisor/conversations/system-prompt.ts";
import { parseFromClient } from "../../../../src/wire/from-client.ts";

const text = (words: string): UserBlock => ({ type: "text", text: words });
const user = (...content: UserBlock[]): Message => ({ role: "user", content });
const begun = () => new Conversation("be brief", { isConversation: false, mayAnswerNothing: false });
const MESSAGES = [user(text("count"))];
const outcome = (stopReason = "end_turn"): ModelOutcome => ({
	is: "reply",
	model: "m",
	content: [{ type: "text", text: "so" }],
	stopReason,
	usage: NO_USAGE,
});

test("prompt and tools are the supervisor's, and the messages go to the model as they come", () => {
	const conversation = begun();
	const request = { system: "be brief", tools: TOOLS, messages: MESSAGES };
	expect(conversation.requestOf("turn", MESSAGES)).toEqual({ ...request, mayUseTools: true });
	expect(conversation.requestOf("last", MESSAGES)).toEqual({ ...request, mayUseTools: false });
	conversation.system = "be long";
	expect(conversation.requestOf("turn", MESSAGES)?.system).toBe("be long");
});

// Seen to be asked as often as an agent liked: a summary is no turn, so nothing bounded it.
test("a summary is asked for in the supervisor's words, a few times between two turns", () => {
	const conversation = begun();
	const asked = conversation.requestOf("compaction", MESSAGES);
	expect(asked).toEqual({
		...{ system: "be brief", tools: TOOLS, mayUseTools: true },
		messages: [user(text("count"), text(ASK_FOR_SUMMARY))],
	});
	for (let n = 0; n < 5; n++) expect(conversation.requestOf("compaction", MESSAGES)).toBeDefined();
	expect(conversation.requestOf("compaction", MESSAGES)).toBeUndefined();
	conversation.heard("compaction", outcome());
	expect(conversation.requestOf("compaction", MESSAGES)).toBeUndefined();
	conversation.heard("turn", outcome());
	expect(conversation.requestOf("compaction", MESSAGES)).toBeDefined();
});

test("a person's summary is asked for in words of theirs, until the model has answered a turn", () => {
	const conversation = begun();
	const words = () => JSON.stringify(conversation.requestOf("compaction", MESSAGES)?.messages.at(-1));
	conversation.allowSummary("the names");
	expect(words()).toMatch(/The person asks for a summary: .* Above all, keep: the names/);
	conversation.heard("turn", outcome());
	expect(words()).toContain("The context is nearly full");
});

test("a model that has called a tool in the place of a summary is asked once more without tools, and then with them", () => {
	const conversation = begun();
	const mayUseTools = () => conversation.requestOf("compaction", MESSAGES)?.mayUseTools;
	expect(mayUseTools()).toBe(true);
	conversation.heard("compaction", outcome("tool_use"));
	expect(mayUseTools()).toBe(false);
	const blame = { is: "failure", reason: "", exitCode: 1, usage: NO_USAGE } as const;
	conversation.heard("compaction", { ...blame, refusesThinking: true });
	expect(mayUseTools()).toBe(false);
	conversation.heard("compaction", { ...blame, contextFull: {} });
	expect(mayUseTools()).toBe(true);
});

test("a question beside the conversation ends the request, and leaves nothing in the messages", () => {
	const asked = begun().aside(MESSAGES, "how many?");
	expect(JSON.stringify(asked.messages)).toContain("how many?");
	expect(MESSAGES).toEqual([user(text("count"))]);
});

const parsed = (message: object) => JSON.stringify(parseFromClient(message));

test("an entry of the agent cannot say that it is of somebody else", () => {
	// Seen to fail with `from` left in what an agent may record.
	const said = parsed({ say: "record", entry: { role: "user", content: [text("x")], from: "person" } });
	expect(said).toContain('"is":"message"');
	expect(said).not.toContain("from");
});

// Seen to be sent to the service: a block that makes it fetch an address, and a key that makes it cache.
test("of an agent's own only texts and results go to the model, without keys that no agent writes", () => {
	const ask = (block: object) => parsed({ say: "ask", messages: [{ role: "user", content: [block] }] });
	expect(ask(text("x"))).toContain('"is":"message"');
	expect(ask({ ...text("x"), cache_control: { type: "ephemeral" } })).toContain('"is":"bad"');
	expect(ask({ type: "image", source: { type: "url", url: "https://example.com" } })).toContain('"is":"bad"');
	expect(parsed({ say: "ask", messages: [] })).toContain('"is":"bad"');
});

const FILLED: Message[] = [
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
	const facts = { messages: FILLED, system: "be brief. Test all.", instructions: "Test all.", countedTokens: 10_000 };
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
			...{ messages: FILLED, system: "be brief", instructions: undefined, countedTokens },
		});
		expect([Math.round(parts.results / 100), parts.instructions, isEstimated]).toEqual([34, 0, true]);
	},
);
