/** A git worktree that was made for one agent, and what became of it. */
import * as v from "valibot";
import { count, oneOf, optional, readonly, text } from "./values.ts";

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
