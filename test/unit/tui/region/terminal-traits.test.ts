import { expect, test } from "vitest";
import {
	isDumb,
	isWithoutColours,
	kindQuestion,
	reflowIn,
	reflowOf,
	resizeLagOf,
} from "../../../../src/tui/region/terminal-traits.ts";

const SSH = { SSH_CONNECTION: "1.2.3.4 5 6.7.8.9 22", TERM: "xterm-256color" };

test("rows that are too long are carried on, unless the terminal is known to cut them, or far away", () => {
	expect(reflowOf({ TERM: "xterm-256color" })).toBe("wraps");
	expect(reflowOf({ TERM: "xterm-256color", TERM_PROGRAM: "vscode" })).toBe("wraps_above");
	expect(reflowOf({ ...SSH, TMUX: "/tmp/x,1,0", TERM: "tmux-256color" })).toBe("wraps");
	for (const env of [{ XTERM_VERSION: "XTerm(390)" }, { TERM: "linux" }, { STY: "1.pts" }, { TERM: "screen" }, SSH])
		expect(reflowOf(env)).toBe("cut");
});

test("a terminal at the other end of a line is asked what it is, and no other", () => {
	expect(kindQuestion(SSH)).toBe("\u001b[>c");
	for (const env of [{ TERM: "xterm" }, { ...SSH, TMUX: "x" }, { ...SSH, STY: "x" }, { ...SSH, TERM: "linux" }])
		expect(kindQuestion(env)).toBe("");
});

test.each([
	["xterm", "\u001b[>41;390;0c", "cut"],
	["PuTTY", "\u001b[>0;136;0c", "cut"],
	["GNU screen", "typed\u001b[>83;40900;0cmore", "cut"],
	["VTE", "\u001b[>65;7600;1c", "wraps"],
	["xterm.js", "\u001b[>0;276;0c", "wraps"],
	["kitty", "\u001b[>1;4000;41c", "wraps"],
	["nobody", "\u001b[?62c", undefined],
])("the answer of %s", (_, answer, reflow) => {
	expect(reflowIn(answer)).toBe(reflow);
});

test("tmux tells a size late; without a name a terminal obeys nothing", () => {
	expect(resizeLagOf({ TMUX: "x" })).toBeGreaterThan(resizeLagOf({ TERM: "xterm" }));
	expect([isDumb({}), isDumb({ TERM: "dumb" }), isDumb({ TERM: "xterm" })]).toEqual([true, true, false]);
	expect([isWithoutColours({ NO_COLOR: "1" }), isWithoutColours({ NO_COLOR: "" })]).toEqual([true, false]);
});
