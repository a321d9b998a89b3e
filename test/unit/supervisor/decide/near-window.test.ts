import { expect, test } from "vitest";
import type { Agent } from "../../../../src/core/model/agent.ts";
import type { Message } from "../../../../src/core/model/message.ts";
import { isNearWindow } from "../../../../src/supervisor/decide/turns.ts";

const agent = (given: Partial<Agent>) => ({ model: "m", windowTokens: 1000, ...given }) as Agent;
const says = (role: Message["role"], text: string) => ({ role, content: [{ type: "text", text }] }) as Message;
const isNear = (given: Partial<Agent>, ...messages: Message[]) => isNearWindow(agent(given), { messages });

test("a prompt is near the window by what the service counted and by what was said since", () => {
	const [long, answer, short] = [says("user", "x".repeat(4000)), says("assistant", "a"), says("user", "y")];
	expect(isNear({ contextTokens: 790 }, long, answer, short)).toBe(true);
	expect(isNear({ contextTokens: 300 }, long, answer, short)).toBe(false);
	expect(isNear({ contextTokens: 300 }, long, answer, says("user", "y".repeat(2000)))).toBe(true);
	expect([isNear({}, long), isNear({}, short)]).toEqual([true, false]);
	expect(isNearWindow(undefined, { messages: [long] })).toBe(false);
});
