import { expect, test } from "vitest";
import { encodeAsk } from "../../../src/agent/supervisor-client.ts";
import type { Message } from "../../../src/core/model/message.ts";

const task: Message = { role: "user", content: [{ type: "text", text: 'count \u2028 "all"\n' }] };
const answer: Message = { role: "assistant", content: [{ type: "text", text: "7" }] };

test("an ask is one line, the same as its JSON", () => {
	for (const messages of [[], [task], [task, answer, task]]) {
		const line = encodeAsk(messages, "turn");
		expect(line).toBe(`${JSON.stringify({ say: "ask", kind: "turn", messages })}\n`);
		expect(line.indexOf("\n")).toBe(line.length - 1);
	}
});

test("the JSON of a message is made once", () => {
	let made = 0;
	const counting = { ...answer, toJSON: () => [made++] } as unknown as Message;
	encodeAsk([task, counting], "turn");
	encodeAsk([task, counting, task], "turn");
	expect(made).toBe(1);
});
