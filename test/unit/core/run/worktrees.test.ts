import { expect, test } from "vitest";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import { worktreeOf, worktreesLeft } from "../../../../src/core/run/worktrees.ts";

const own = { path: "/w/x", cwd: "/w/x", origin: "/p", repository: "/p/.git", branch: "agentree/x", base: "0" };
const begun: RunEvent = { event: "worktree_begun", at: 0, agent: "1", ...own };
const kept: RunEvent = { event: "worktree_kept", at: 1, agent: "1", commits: 1, files: 2, reason: "r" };
const removed: RunEvent = { event: "worktree_removed", at: 2, agent: "1" };
const after = (...events: RunEvent[]) => events.reduce(reduce, EMPTY_RUN);

test("a worktree is used from when it is begun, kept or removed at the end, and used again by an agent that goes on", () => {
	expect(worktreeOf(after(begun), "1")).toEqual(own);
	const after2 = after(begun, kept);
	expect(after2.worktrees).toEqual({ "1": { ...own, state: { is: "kept", commits: 1, files: 2, reason: "r" } } });
	expect(worktreeOf(after2, "1")).toBeUndefined();
	expect(worktreesLeft(after2)).toHaveLength(1);
	expect(worktreesLeft(after(begun, removed))).toEqual([]);
	expect(worktreeOf(after(begun, removed, begun), "1")).toEqual(own);
});

test("a record that ends one that it has not begun tells of none", () => {
	expect(after(kept, removed)).toEqual(EMPTY_RUN);
});

test("a copy of a run has none of the worktrees of the first", () => {
	expect(after(begun, { event: "run_forked", at: 3, run: "r", from: "q" }).worktrees).toBeUndefined();
});
