import { describe, expect, test } from "vitest";
import { messageOf, newEditor, withText } from "../../../../src/tui/editor/editor.ts";
import { lineAfter, type, withCursor } from "./typing.ts";

const effectsAfter = (keys: string, queued = 0) => type(newEditor([]), keys, { queued }).effects;

test.each([
	// movement
	["abc<left>x", "abx|c"],
	["abc<ctrl-b><ctrl-b><ctrl-f>x", "abx|c"],
	["e\u0301<left>x", "x|e\u0301"],
	["a👩‍👩‍👧<left>x", "ax|👩‍👩‍👧"],
	["漢字<left><backspace>", "|字"],
	["one two-three<alt-b>", "one two-|three"],
	["one two-three<alt-b><alt-b><alt-b>x", "x|one two-three"],
	["one two<home><alt-f>", "one| two"],
	["one two<home><ctrl-right><ctrl-right><ctrl-left>", "one |two"],
	["ab<ctrl-j>cd<ctrl-a>x", "ab\nx|cd"],
	["ab<ctrl-j>cd<home><left><end>", "ab|\ncd"],
	["ab<ctrl-j>cd<alt-lt>x", "x|ab\ncd"],
	["ab<ctrl-j>cd<ctrl-home><ctrl-end>x", "ab\ncdx|"],
	// deletion
	["abc<backspace>", "ab|"],
	["abc<left><delete>", "ab|"],
	["abc<left><ctrl-d>", "ab|"],
	["abc<ctrl-h>", "ab|"],
	["e\u0301x<left><backspace>", "|x"],
	["a \t b<left><alt-\\>", "a|b"],
	// kill ring
	["one two<ctrl-w><ctrl-y><ctrl-y>", "one twotwo|"],
	["a/b c/d<ctrl-w>", "a/b |"],
	["a/b c/d<alt-backspace>", "a/b c/|"],
	["one two<home><alt-d><ctrl-e><ctrl-y>", " twoone|"],
	["one two three<ctrl-w><ctrl-w><ctrl-y>", "one two three|"],
	["one two three<home><alt-d><alt-d><end><ctrl-y>", " threeone two|"],
	["ab<ctrl-j>cd<home><left><left><ctrl-k>", "a|\ncd"],
	["ab<ctrl-j>cd<up><ctrl-k>", "ab|cd"],
	["one two<ctrl-u>x<ctrl-y>", "xone two|"],
	["ab<ctrl-j>cd<left><ctrl-u>", "ab\n|d"],
	["one<ctrl-u>two<ctrl-u><ctrl-y><alt-y>", "one|"],
	["one<ctrl-u>two<ctrl-u><ctrl-y><alt-y><alt-y>", "two|"],
	["one<alt-y>", "one|"],
	// undo, by word
	["one two<ctrl-_>", "one |"],
	["one two<ctrl-_><ctrl-_>", "|"],
	["one<ctrl-w>x<ctrl-_><ctrl-/>", "one|"],
	["one<ctrl-w><ctrl-x><ctrl-u>", "one|"],
	["one<ctrl-c><ctrl-_>", "one|"],
	// transpose, case
	["ab<ctrl-t>", "ba|"],
	["abc<left><left><ctrl-t>", "ba|c"],
	["a<ctrl-t>", "a|"],
	["one two<alt-t>", "two one|"],
	["one, two<home><alt-f><alt-t>", "two, one|"],
	["one<alt-t>", "one|"],
	["one two<home><alt-u>", "ONE| two"],
	["ONE two<home><alt-l><alt-c>", "one Two|"],
	// more lines
	["a<ctrl-j>b", "a\nb|"],
	["a<alt-enter>b", "a\nb|"],
	["a<ctrl-alt-j>b", "a\nb|"],
	["a<shift-enter>b", "a\nb|"],
	["a\\<enter>b", "a\nb|"],
])("%s gives %s", (keys, line) => {
	expect(lineAfter(keys)).toBe(line);
});

describe("Enter", () => {
	test("submits from anywhere in the message, and a message that ends with an escaped backslash", () => {
		expect(effectsAfter("a<ctrl-j>b<up><enter>")).toEqual([{ is: "submit", text: "a\nb" }]);
		expect(effectsAfter("a\\\\<enter>")).toEqual([{ is: "submit", text: "a\\\\" }]);
		expect(effectsAfter("a\\<left><enter>")).toEqual([{ is: "submit", text: "a\\" }]);
	});

	test("on an empty line does nothing, and sends what waits at once", () => {
		expect(effectsAfter("<enter>")).toEqual([]);
		expect(effectsAfter("  <enter>")).toEqual([]);
		expect(effectsAfter("<ctrl-enter>")).toEqual([]);
		expect(effectsAfter("<enter>", 2)).toEqual([{ is: "submit_now", text: "" }]);
		expect(effectsAfter("<ctrl-enter>", 1)).toEqual([{ is: "submit_now", text: "" }]);
	});
});

test("keys that others act on are told", () => {
	expect(effectsAfter("<escape>")).toEqual([{ is: "interrupt" }]);
	expect(effectsAfter("x<escape>")).toEqual([{ is: "interrupt" }]);
	expect(effectsAfter("<ctrl-c>")).toEqual([{ is: "cancel" }]);
	expect(effectsAfter("x<ctrl-c><ctrl-c>")).toEqual([{ is: "cancel" }]);
	expect(effectsAfter("<ctrl-d>")).toEqual([{ is: "leave" }]);
	expect(effectsAfter("x<ctrl-d>")).toEqual([]);
	expect(effectsAfter("<ctrl-l><ctrl-g>")).toEqual([{ is: "redraw" }, { is: "open_editor" }]);
	expect(effectsAfter("<ctrl-x><ctrl-e>")).toEqual([{ is: "open_editor" }]);
	expect(effectsAfter("<ctrl-shift-c><ctrl-shift-z>")).toEqual([]);
	expect(effectsAfter("<f5><pageup><ctrl-x>q<alt-q>")).toEqual([]);
	expect(effectsAfter("<up>", 1)).toEqual([{ is: "take_back" }]);
	expect(effectsAfter("x<up>", 1)).toEqual([{ is: "bell" }]);
});

describe("a paste", () => {
	const paste = (text: string) => ({ is: "paste", text }) as const;
	const many = Array.from({ length: 500 }, (_, n) => `line ${n}`).join("\n");

	test("of a few lines is shown, and sent by nothing but Enter", () => {
		const { editor, effects } = type(newEditor([]), [paste("one\ntwo\n")]);
		expect(withCursor(editor)).toBe("one\ntwo\n|");
		expect(effects).toEqual([]);
	});

	test("of many lines is one character that is sent whole", () => {
		const { editor } = type(type(newEditor([]), "see ").editor, [paste(many)]);
		expect(messageOf(type(editor, " ok").editor)).toBe(`see ${many} ok`);
		expect(messageOf(type(editor, "<backspace>").editor)).toBe("see ");
		expect(messageOf(type(editor, "<left>x").editor)).toBe(`see x${many}`);
		expect(type(editor, "<enter>").effects).toEqual([{ is: "submit", text: `see ${many}` }]);
		expect(messageOf(type(editor, "<ctrl-w><ctrl-y><ctrl-y>").editor)).toBe(`see ${many}${many}`);
	});

	test("that was cut says so", () => {
		const { effects } = type(newEditor([]), [{ ...paste(many), isCut: true }]);
		expect(effects).toEqual([{ is: "notice", text: expect.stringContaining("cut") }]);
	});

	test("cannot bring in what stands for another paste", () => {
		const { editor } = type(newEditor([]), [paste(many), paste("\u{100000}\u{100001}")]);
		expect(messageOf(editor)).toBe(`${many}\ufffd\ufffd`);
	});

	test("is folded again when the message comes back", () => {
		const { editor } = type(type(newEditor([]), "see ").editor, [paste(many)]);
		const { editor: sent, effects } = type(editor, "<enter>");
		expect(effects).toEqual([{ is: "submit", text: `see ${many}` }]);
		expect(withText(sent, `see ${many}`).text).toBe(editor.text);
		expect(withText(sent, `see ${many}\n\nand`).text).toBe(`${editor.text}\n\nand`);
		expect(type(sent, "<up>").editor.text).toBe(editor.text);
		expect(withCursor(type(sent, "<up><down>").editor)).toBe("|");
	});
});

test("a line that is full takes no more, and says so", () => {
	const full = withText(newEditor([]), "x".repeat(100_000));
	const { editor, effects } = type(full, "y");
	expect(editor.text).toBe(full.text);
	expect(effects).toEqual([{ is: "notice", text: expect.stringContaining("file") }]);
});

test("what comes from files has nothing that a terminal would obey", () => {
	expect(withText(newEditor([]), "a\u001b[31mb\u0007\r\nc").text).toBe("ab\nc");
	expect(type(newEditor(["x\u001b]0;title\u0007y"]), "<up>").editor.text).toBe("xy");
});
