import { expect, test } from "vitest";
import { beforeOf, noticeOf, titleOf } from "../../../../src/faces/chat/attention.ts";
import { ended, joined } from "../../core/run-of.ts";
import { Chat, LISTENING, WAITING, WORKING } from "./chat-of.ts";

const AWAY_MS = 20_000;

/** What is told when the agent comes to wait `ms` after the person has sent something. */
function noticeAfter(ms: number, hasFocus?: boolean): string | undefined {
	const chat = new Chat(...WORKING).say("more");
	if (hasFocus !== undefined) chat.input({ is: "focus", hasFocus });
	chat.after(ms);
	const before = beforeOf(chat.state);
	return noticeOf(before, chat.happens(LISTENING).state);
}

test("who looks elsewhere is told once that the agent waits", () => {
	expect(noticeAfter(0, false)).toBe("agentree is waiting for you");
	expect(noticeAfter(AWAY_MS * 2, true)).toBeUndefined();
	const chat = new Chat(...WAITING).input({ is: "focus", hasFocus: false });
	expect(noticeOf({ wasWorking: false, asked: 0 }, chat.happens(LISTENING).state)).toBeUndefined();
});

test("where the terminal does not tell, who has pressed no key for a while may have gone", () => {
	expect(noticeAfter(AWAY_MS - 1)).toBeUndefined();
	expect(noticeAfter(AWAY_MS)).toBe("agentree is waiting for you");
});

test("the title says what the conversation does, and how many other agents are alive", () => {
	expect(titleOf(new Chat().state)).toBe("agentree: waiting for you");
	expect(titleOf(new Chat(...WORKING).state)).toBe("agentree: working");
	expect(titleOf(new Chat(...WORKING, joined("1.1"), joined("1.2"), ended("1.2")).state)).toBe("agentree: working (1)");
	expect(titleOf(new Chat(...WAITING, joined("1.1")).state)).toBe("agentree: waiting for you (1)");
	expect(titleOf(new Chat(...WORKING).input({ is: "leave" }).state)).toBe("agentree: asks");
});

test("who looks elsewhere is told of a question, and the title has it until it is answered", () => {
	const what = { is: "words", text: "which?" } as const;
	const chat = new Chat(...WORKING).input({ is: "focus", hasFocus: false });
	const before = beforeOf(chat.state);
	chat.happens({ event: "question_asked", at: 1, agent: "1", question: 1, what });
	expect(noticeOf(before, chat.state)).toBe("an agent has a question for you");
	expect(noticeOf(beforeOf(chat.state), chat.state)).toBeUndefined();
	expect(titleOf(chat.state)).toBe("agentree: asks");
	chat.happens({ event: "question_answered", at: 2, agent: "1", question: 1, answer: { is: "allow" } });
	expect(titleOf(chat.state)).toBe("agentree: working");
});
