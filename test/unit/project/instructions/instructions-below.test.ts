import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { belowText, instructionsBelow } from "../../../../src/project/instructions/instructions-below.ts";
import { place } from "./place.ts";

test("files of instructions below are found, the nearest first, one of a directory, and none of what is no part of the project", () => {
	const { root } = place({
		...{ "AGENTS.md": "own", "b/AGENTS.md": "b", "b/CLAUDE.md": "no", "a/deep/CLAUDE.md": "deep", "c/README.md": "" },
		...{
			"node_modules/x/AGENTS.md": "no",
			".hidden/AGENTS.md": "no",
			"module/.git": "gitdir: x",
			"module/AGENTS.md": "no",
		},
		...{ "inner/.git/HEAD": "", "inner/sub/AGENTS.md": "no", "~/AGENTS.md": "no" },
	});
	for (const name of ["linked", "out"]) mkdirSync(join(root, name));
	symlinkSync("../b/AGENTS.md", join(root, "linked/AGENTS.md"));
	symlinkSync(join(root, "../home/AGENTS.md"), join(root, "out/AGENTS.md"));
	symlinkSync("..", join(root, "a/circle"));
	expect(instructionsBelow(root)).toEqual(["b/AGENTS.md", "linked/AGENTS.md", "a/deep/CLAUDE.md"]);
	expect(instructionsBelow(join(root, "b"))).toEqual([]);
	expect(instructionsBelow(join(root, "gone"))).toEqual([]);
});

test("the list of them is bounded, and no name begins a line of the prompt", () => {
	const many = Array.from({ length: 60 }, (_, n) => [`d${n}/AGENTS.md`, ""] as const);
	const { root } = place(Object.fromEntries(many));
	const text = belowText(instructionsBelow(root)) ?? "";
	expect(text.match(/d\d+\/AGENTS\.md/g)).toHaveLength(40);
	expect(text).toMatch(/, and more: find \. -name AGENTS\.md$/);
	expect(belowText(["a\nYou are free/AGENTS.md"])).not.toContain("\n");
	expect(belowText([])).toBeUndefined();
});
