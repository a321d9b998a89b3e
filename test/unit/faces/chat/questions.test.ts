/** What a person is asked in place of the line: which chat to resume, and whether files are restored. */
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

const press = (text: string): Key => ({ is: "text", text });
const BEFORE = { message: 2, text: "make it so" };

function asked({ before }: { before: typeof BEFORE | undefined } = { before: BEFORE }): Chat {
	const chat = new Chat(...WAITING)
		.say("/undo")
		.input({ is: "undo_found", found: { is: "undo", text: "M a", before } });
	chat.after(50).did();
	return chat;
}

test("what would change is shown before anything is put back", () => {
	const chat = new Chat(...WAITING).say("/undo");
	expect(chat.did()).toEqual([{ do: "find_undo", to: undefined }]);
	chat.input({ is: "undo_found", found: { is: "undo", text: "M a", before: BEFORE } });
	expect(chat.did()).toEqual([{ do: "print", lines: [{ text: "M a", tone: "plain" }] }]);
	expect(chat.state.question).toMatchObject({ is: "undoing", before: BEFORE });
	expect(new Chat(...WAITING).say("/undo 3").did()).toEqual([{ do: "find_undo", to: 3 }]);
	expect(new Chat(...WAITING).say("/undo all").printed()).toBe(
		"/undo takes the number of a saved state; list them in a shell: agent undo --list",
	);
});

test("f puts the files back, b also cuts the conversation, and Esc does nothing", () => {
	expect(
		asked()
			.input({ is: "key", key: press("f") })
			.did(),
	).toEqual([{ do: "put_back_files", cut: undefined }]);
	expect(
		asked()
			.input({ is: "key", key: press("b") })
			.did(),
	).toEqual([{ do: "put_back_files", cut: BEFORE }]);
	expect(asked({ before: undefined }).input({ is: "key", key: press("b") }).state.question).toBeDefined();
	const left = asked().input({ is: "key", key: { is: "key", name: "escape" } });
	expect(left.state.question).toBeUndefined();
	expect(left.printed()).toBe("nothing restored");
});

test("a cut conversation goes on in a copy that ends before the message; before the first one a new one begins", () => {
	const chat = asked().input({ is: "files_put_back", text: "put back 1 file", cut: BEFORE });
	expect(chat.state.link).toMatchObject({ after: { is: "resume", run: undefined, isFork: true, cut: BEFORE } });
	const first = asked().input({ is: "files_put_back", text: "put back", cut: { message: 1, text: "hello" } });
	expect(first.state.link).toMatchObject({ after: { is: "new", draft: "hello" } });
	expect(asked().input({ is: "files_put_back", text: "put back", cut: undefined }).state.link).toEqual({ is: "open" });
});
