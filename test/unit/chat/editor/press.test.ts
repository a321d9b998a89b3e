import { expect, test } from "vitest";
import { drawEditor } from "../../../../src/chat/editor/draw-editor.ts";
import { type EditorContext, newEditor } from "../../../../src/chat/editor/editor.ts";
import { press } from "../../../../src/chat/editor/press.ts";

const CONTEXT: EditorContext = {
	...{ columns: 20, queued: 0 },
	completers: { paths: () => [], agents: () => [], commands: () => [], argumentsOf: () => [] },
};

test("typed text is submitted by Enter, and leaves an empty line", () => {
	const typed = press(newEditor([]), { is: "text", text: "hello" }, CONTEXT);
	expect(drawEditor(typed.editor, CONTEXT.columns).cursor).toEqual({ row: 0, column: 7 });
	const { editor, wish } = press(typed.editor, { is: "key", name: "enter" }, CONTEXT);
	expect(wish).toEqual({ is: "submit", text: "hello" });
	expect(editor.text).toBe("");
});
