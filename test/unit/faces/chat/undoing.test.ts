import { expect, test } from "vitest";
import type { Key } from "../../../../src/tui/keys/key.ts";
import { Chat, WAITING } from "./chat-of.ts";

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
