/** A git worktree that was made for one agent, and what became of it. */
import * as v from "valibot";
import { count, listOf, oneOf, optional, readonly, text } from "./values.ts";

export const ownWorktreeEntries = {
	/** Its directory. */
	path: text,
	/** The directory in it in which its agent works. */
	cwd: text,
	/** The tree of which it is: the top of that in which its agent was started; the repository itself where that is bare. */
	origin: text,
	/** The git directory that all worktrees of the repository share. */
	repository: text,
	/** The branch that was made for it. */
	branch: text,
	/** The commit at which it began. */
	base: text,
	/** How many changes of the origin were in no commit then: it has none of them. */
	uncommitted: optional(count),
	/** Paths of the origin that git ignores, which it has not, either: those nearest to the top. */
	ignored: optional(listOf(text)),
};
export const OwnWorktreeSchema = readonly(v.object(ownWorktreeEntries));
export type OwnWorktree = v.InferOutput<typeof OwnWorktreeSchema>;

/** A git worktree is to be made, called so, or after its agent. */
export const AskedWorktreeSchema = v.object({ name: optional(text) });

export const keptEntries = {
	/** Those that its branch or its HEAD has beyond the base. */
	commits: count,
	/** The paths in it that are not as in its HEAD, without ignored ones. */
	files: count,
	/** Where its HEAD is, when that is not its branch: another branch, or a commit alone. */
	head: optional(
		v.object({
			branch: optional(text),
			/** Zeros for a branch without one. */
			commit: text,
			/** Those of `commits` that its branch has not. */
			ahead: count,
		}),
	),
	/** The HEAD of its origin has all of `commits`. */
	isMerged: optional(v.literal(true)),
	/** The branch that was made for it is not there any more: deleted, or called otherwise. */
	isBranchGone: optional(v.literal(true)),
	/** Its directory is not there any more. */
	isGone: optional(v.literal(true)),
	/** Its `.git` is gone, or was changed: git that is run in it may run what an agent has written. */
	isUntied: optional(v.literal(true)),
	/** Why it is kept, when that is no change, or not known to be one. */
	reason: optional(text),
};

export const KnownWorktreeSchema = readonly(
	v.object({
		...ownWorktreeEntries,
		state: oneOf("is", [
			/** Its agent may work in it; after the end of its run: nobody has looked at it since. */
			v.object({ is: v.literal("used") }),
			v.object({ is: v.literal("kept"), ...keptEntries }),
			/** Nothing was in it that would be lost: it is gone, with its branch. */
			v.object({ is: v.literal("removed") }),
		]),
	}),
);
export type KnownWorktree = v.InferOutput<typeof KnownWorktreeSchema>;
export type KeptWorktree = Extract<KnownWorktree["state"], { is: "kept" }>;
