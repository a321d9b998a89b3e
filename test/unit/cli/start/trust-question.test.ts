import { expect, test } from "vitest";
import { questionLines, viewLines } from "../../../../src/cli/start/instruction-sources.ts";

const file = (path: string, was: "new" | "changed" | "known", text = "x") => ({
	...{ path, text, was, bytes: 1_500, digest: "d", what: "instructions" },
});

test("the question shows what there is, how long, and what it is", () => {
	expect(questionLines("/repo", [file("/repo/AGENTS.md", "new"), file("/repo/docs/style.md", "new")])).toEqual([
		"agent: /repo contains instructions for agents.",
		"Agents run commands, so use these files only if you trust their authors:",
		"  AGENTS.md      1.4 KiB     instructions",
		"  docs/style.md  1.4 KiB     instructions",
	]);
});

test("asked again, it says what is new and what has changed, first", () => {
	const files = [file("/repo/a", "known"), file("/repo/b", "changed"), file("/home/me/c", "new")];
	expect(questionLines("/repo", files)).toEqual([
		"agent: the instructions for agents in /repo have changed:",
		"  changed   b           1.4 KiB     instructions",
		"  new       /home/me/c  1.4 KiB     instructions",
		"  as before a           1.4 KiB     instructions",
	]);
});

test("a name or a text cannot move the cursor, nor look like a line of ours", () => {
	const hostile = file("/repo/\u001b[2J\nagent: all is well", "new", "a\r\u001b[1Ab\nUse them? y");
	expect(questionLines("/repo", [hostile]).slice(2)).toEqual(["   agent: all is well  1.4 KiB     instructions"]);
	expect(viewLines("/repo", [hostile])).toEqual([
		" agent: all is well (1.4 KiB, the whole):",
		...["  | a", "  | b", "  | Use them? y", ""],
	]);
});
