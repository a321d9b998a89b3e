import { expect, test } from "vitest";
import { pickingRows } from "../../../../src/faces/chat/questions.ts";
import type { Key } from "../../../../src/tui/keys/key.ts";
import { Chat, WAITING, WORKING } from "./chat-of.ts";

const ROWS = Array.from({ length: 30 }, (_, n) => ({ run: `run-${n}`, line: `line ${n}` }));
const FOUND = { header: "RUN", rows: ROWS };
const key = (name: string, ctrl?: true): Key => ({ is: "key", name, ...(ctrl && { ctrl }) });

function picking(...keys: readonly Key[]): Chat {
	const chat = new Chat(...WAITING).say("/resume");
	chat.input({ is: "sessions_found", words: "", found: FOUND });
	for (const one of keys) chat.input({ is: "key", key: one });
	return chat;
}

function shown(chat: Chat): string[] {
	const { question } = chat.state;
	if (question?.is !== "picking") return [];
	return pickingRows(question).map((line) => line.map(({ text }) => text).join(""));
}

test("Enter goes on with the chosen conversation, when this one is left", () => {
	const chat = picking(key("down"), key("down"), key("up"), key("enter"));
	expect(chat.sent()).toEqual([{ say: "close" }]);
	expect(chat.state.link).toEqual({
		...{ is: "ending", by: "close", since: 10_000, after: { is: "resume", run: "run-1", isFork: false } },
	});
});

test("with agents at work the person is asked before the other conversation begins", () => {
	const chat = new Chat(...WORKING).say("/resume").input({ is: "sessions_found", words: "", found: FOUND });
	chat.input({ is: "key", key: key("enter") });
	expect(chat.state.question).toMatchObject({ is: "leaving", after: { run: "run-0" } });
});

test("words narrow the list, and only the answer to the newest of them is shown", () => {
	const chat = picking({ is: "text", text: "te" }, { is: "text", text: "st" }, key("backspace"));
	expect(chat.did().filter((effect) => effect.do === "find_sessions")).toEqual(
		["", "te", "test", "tes"].map((words) => ({ do: "find_sessions", words })),
	);
	chat.input({ is: "sessions_found", words: "te", found: { header: "RUN", rows: [] } });
	expect(shown(chat)).toHaveLength(15);
	chat.input({ is: "sessions_found", words: "tes", found: { header: "RUN", rows: [] } });
	expect(shown(chat)[1]).toBe("  nothing found");
	expect(chat.input({ is: "key", key: key("enter") }).state.question).toBeDefined();
	expect(chat.input({ is: "key", key: key("u", true) }).did()).toContainEqual({ do: "find_sessions", words: "" });
});

test.each([key("escape"), key("c", true), key("d", true)])("Esc, Ctrl-C and Ctrl-D choose none: %o", (one) => {
	const chat = picking(one);
	expect(chat.state.question).toBeUndefined();
	expect(chat.sent()).toEqual([]);
});

test("/fork leaves this conversation for a copy of it", () => {
	const chat = new Chat(...WAITING).say("/fork");
	expect(chat.state.link).toMatchObject({ after: { is: "resume", run: undefined, isFork: true } });
});
