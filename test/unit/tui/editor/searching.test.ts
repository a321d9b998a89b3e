import { expect, test } from "vitest";
import { newEditor } from "../../../../src/tui/editor/editor.ts";
import { lineAfter, screenOf, type } from "./typing.ts";

const SAID = ["fix the build", "say Hello", "fix the tests", "hello again", "fix the tests"];

test.each([
	["<ctrl-r>fix", "|fix the tests"],
	["<ctrl-r>fix<ctrl-r>", "|fix the build"],
	["<ctrl-r>fix<ctrl-r><ctrl-s>", "|fix the tests"],
	["<ctrl-r>hello", "|hello again"],
	["<ctrl-r>Hello", "say |Hello"],
	["<ctrl-r>the b<backspace><backspace>", "fix |the tests"],
	["<ctrl-r>build<escape>x", "fix the x|build"],
	["<ctrl-r>build<ctrl-e>", "fix the build|"],
	["<ctrl-r>again<ctrl-e><up>", "fix the tests|"],
	["draft<ctrl-r>build<ctrl-g>", "draft|"],
	["draft<ctrl-r>build<ctrl-c>", "draft|"],
	["draft<ctrl-r><escape>", "draft|"],
	["draft<ctrl-r>zzz<escape>", "draft|"],
	["draft<ctrl-r>hellozzz<escape>", "|hello again"],
	["<ctrl-r>build<ctrl-g><ctrl-r><ctrl-r>", "|"],
	["<ctrl-r>build<escape><ctrl-u><ctrl-r><ctrl-r>", "fix the |build"],
])("%s shows %s", (keys, line) => {
	expect(lineAfter(keys, SAID)).toBe(line);
});

test("in a search Enter sends what was found, Escape only ends the search", () => {
	expect(type(newEditor(SAID), "<ctrl-r>build<enter>").effects).toEqual([{ is: "submit", text: "fix the build" }]);
	expect(type(newEditor(SAID), "<ctrl-r>build<escape>").effects).toEqual([]);
	expect(type(newEditor(SAID), "<ctrl-r>zzz").effects).toEqual([{ is: "bell" }, { is: "bell" }, { is: "bell" }]);
});

test("the search has a prompt of its own", () => {
	const { editor } = type(newEditor(SAID), "<ctrl-r>build");
	expect(screenOf(editor)).toEqual(["search: build", "> fix the build"]);
	expect(screenOf(type(editor, "zz").editor)).toEqual(["no match: buildzz", "> fix the build"]);
});

test("a search keeps the draft, which Down comes back to", () => {
	expect(lineAfter("draft<ctrl-r>hello<escape><down><down>", SAID)).toBe("draft|");
});
