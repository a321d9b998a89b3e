import { expect, test } from "vitest";
import { encodeAsk } from "../../../src/agent/encode-ask.ts";
import type { Message } from "../../../src/core/message.ts";
import type { ModelRequest } from "../../../src/core/model.ts";

const task: Message = { role: "user", content: [{ type: "text", text: 'count \u2028 "all"\n' }] };
const answer: Message = { role: "assistant", content: [{ type: "text", text: "7" }] };
const requestOf = (...messages: Message[]): ModelRequest => ({
	system: "be short",
	tools: [{ name: "bash", description: "runs", input_schema: { type: "object", properties: {}, required: [] } }],
	messages,
	mayUseTools: true,
});

test("an ask is one line, the same as its JSON up to the order of the keys", () => {
	for (const request of [
		requestOf(),
		requestOf(task),
		requestOf(task, answer, task),
		{ ...requestOf(task), maxTokens: 7 },
	]) {
		const line = encodeAsk(request, "turn");
		expect(line.indexOf("\n")).toBe(line.length - 1);
		expect(JSON.parse(line)).toEqual({ say: "ask", request, kind: "turn" });
	}
});

test("the JSON of a message is made once", () => {
	let made = 0;
	const counting = { ...answer, toJSON: () => [made++] } as unknown as Message;
	encodeAsk(requestOf(task, counting), "turn");
	encodeAsk(requestOf(task, counting, task), "turn");
	expect(made).toBe(1);
});
