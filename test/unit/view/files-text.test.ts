import { expect, test } from "vitest";
import { describeFiles } from "../../../src/view/files-text.ts";

type Told = Parameters<typeof describeFiles>[0];

const of = { at: 0, agent: "1" } as const;
const own = { path: "/w/x", cwd: "/w/x", origin: "/p", repository: "/p/.git", branch: "agentree/x", base: "0" };

test.each<[Told, string]>([
	[{ event: "tree_kept", ...of, id: 3, top: "/p", tookMs: 5 }, "keeps the files of /p as state 3"],
	[
		{ event: "tree_kept", ...of, id: 3, top: "/p", tookMs: 5, notice: "1 repository inside (a/)" },
		"keeps the files of /p as state 3, without 1 repository inside (a/)",
	],
	[
		{ event: "tree_not_kept", ...of, reason: "git is not installed" },
		"keeps no state of its files, so that undo takes nothing back: git is not installed",
	],
	[{ event: "worktree_begun", ...of, ...own }, "works in a git worktree: /w/x, on branch agentree/x"],
	[{ event: "worktree_kept", ...of, commits: 1, files: 0 }, "leaves its git worktree, with 1 commit"],
	[
		{ event: "worktree_kept", ...of, commits: 2, files: 1 },
		"leaves its git worktree, with 2 commits and 1 file not committed",
	],
	[
		{ event: "worktree_kept", ...of, commits: 0, files: 0, reason: "it is locked" },
		"leaves its git worktree, with no change that is known (it is locked)",
	],
	[{ event: "worktree_removed", ...of }, "leaves no git worktree: nothing was in it that would be lost"],
])("the event %j reads: %s", (event, text) => {
	expect(describeFiles(event)).toBe(text);
});
