import { expect, test } from "vitest";
import { reflowIn, terminalTraits } from "../../../../src/tui/screen/terminal-traits.ts";

const SSH = { SSH_CONNECTION: "1.2.3.4 5 6.7.8.9 22", TERM: "xterm-256color" };

test("rows that are too long are carried on, unless the terminal is known to cut them, or far away", () => {
	expect(terminalTraits({ TERM: "xterm-256color" }).reflow).toBe("wraps");
	expect(terminalTraits({ TERM: "xterm-256color", TERM_PROGRAM: "vscode" }).reflow).toBe("wraps_above");
	expect(terminalTraits({ ...SSH, TMUX: "/tmp/x,1,0", TERM: "tmux-256color" }).reflow).toBe("wraps");
	for (const env of [{ XTERM_VERSION: "XTerm(390)" }, { TERM: "linux" }, { STY: "1.pts" }, { TERM: "screen" }, SSH])
		expect(terminalTraits(env).reflow).toBe("cut");
});

test("a terminal at the other end of a line is asked what it is, and no other", () => {
	expect(terminalTraits(SSH).question).toBe("\u001b[>c");
	for (const env of [{ TERM: "xterm" }, { ...SSH, TMUX: "x" }, { ...SSH, STY: "x" }, { ...SSH, TERM: "linux" }])
		expect(terminalTraits(env).question).toBe("");
});

test.each([
	["xterm", "\u001b[>41;390;0c", "cut"],
	["PuTTY", "\u001b[>0;136;0c", "cut"],
	["GNU screen", "\u001b[>83;40900;0c", "cut"],
	["VTE", "\u001b[>65;7600;1c", "wraps"],
	["xterm.js", "\u001b[>0;276;0c", "wraps"],
	["kitty", "\u001b[>1;4000;41c", "wraps"],
	["nobody", "\u001b[?62c", undefined],
])("the answer of %s", (_, answer, reflow) => {
	expect(reflowIn(answer)).toBe(reflow);
});

test("tmux tells a size late; without a name a terminal obeys nothing", () => {
	expect(terminalTraits({ TMUX: "x" }).resizeLagMs).toBeGreaterThan(terminalTraits({ TERM: "xterm" }).resizeLagMs);
	expect(["1", ""].map((NO_COLOR) => terminalTraits({ NO_COLOR }).colors)).toEqual(["bare", "few"]);
});
