import { expect, test } from "vitest";
import type { Key } from "../../../../src/tui/keys/key.ts";
import { Talk, WAITING, WORKING } from "./talk-of.ts";

const press = (text: string): Key => ({ is: "text", text });
const BEFORE = { message: 2, text: "make it so" };

function asked({ before }: { before: typeof BEFORE | undefined } = { before: BEFORE }): Talk {
	const talk = new Talk(...WAITING)
		.say("/undo")
		.input({ is: "undo_found", found: { is: "undo", text: "M a", before } });
	talk.after(50).did();
	return talk;
}

test("what would change is shown before anything is put back", () => {
	const talk = new Talk(...WAITING).say("/undo");
	expect(talk.did()).toEqual([{ do: "find_undo", to: undefined }]);
	talk.input({ is: "undo_found", found: { is: "undo", text: "M a", before: BEFORE } });
	expect(talk.did()).toEqual([{ do: "tell", told: [{ text: "M a", tone: "plain" }] }]);
	expect(talk.state.question).toMatchObject({ is: "undoing", before: BEFORE });
	expect(new Talk(...WAITING).say("/undo 3").did()).toEqual([{ do: "find_undo", to: 3 }]);
	expect(new Talk(...WAITING).say("/undo all").told()).toBe(
		"/undo takes the number of a saved state; list them in a shell: agent undo --list",
	);
});

test("while agents are at work nothing is undone", () => {
	expect(new Talk(...WORKING).say("/undo").told()).toMatch(/^agents are working/);
});

test("nothing to undo is said, and asks nothing", () => {
	const talk = new Talk(...WAITING).input({
		is: "undo_found",
		found: { is: "nothing", reason: "nothing has changed" },
	});
	expect(talk.told()).toBe("nothing to undo: nothing has changed");
	expect(talk.state.question).toBeUndefined();
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
	expect(left.told()).toBe("nothing restored");
});

test("a cut conversation goes on in a copy that ends before the message; before the first one a new one begins", () => {
	const talk = asked().input({ is: "files_put_back", text: "put back 1 file", cut: BEFORE });
	expect(talk.state.link).toMatchObject({ after: { is: "resume", run: undefined, isFork: true, cut: BEFORE } });
	const first = asked().input({ is: "files_put_back", text: "put back", cut: { message: 1, text: "hello" } });
	expect(first.state.link).toMatchObject({ after: { is: "new", draft: "hello" } });
	expect(asked().input({ is: "files_put_back", text: "put back", cut: undefined }).state.link).toEqual({ is: "open" });
});
