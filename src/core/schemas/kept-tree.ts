/**
 * What is kept of a work tree, in files beside git's objects. A path is below the tree's directory, one character a byte
 * (latin1): names need not be UTF-8.
 */
import * as v from "valibot";
import { count, listOf, readonly, text, time } from "./values.ts";

/** Git's id of an object. */
const objectId = v.pipe(text, v.regex(/^[0-9a-f]{40}$/));

/** states/N.json: a state of the tree. */
export const KeptStateSchema = v.object({
	/** Counts from 1; a later state has a higher one. */
	id: count,
	at: time,
	why: v.variant("is", [
		/** Before the first command after this message of a person, which is cut. */
		v.object({ is: v.literal("message"), text }),
		/** Before the tree was put back to the state `to`. `files`: how many that was to change. */
		v.object({ is: v.literal("undo"), to: count, files: v.optional(count) }),
	]),
	/** The tree's directory. */
	top: text,
	/** Of it, with the time of its birth: it may be renamed. Absent where the file system does not tell. */
	inode: v.optional(text),
	/** The files. */
	tree: objectId,
	/** The `TreeFacts`, in JSON. */
	facts: objectId,
});
export type KeptState = Readonly<v.InferOutput<typeof KeptStateSchema>>;

const SKIP_REASONS = ["too_large", "no_room", "repository", "not_readable", "special"] as const;

/** A path that is not kept, and not touched; that of a repository ends in a slash. */
const SkippedSchema = readonly(v.object({ path: text, because: v.picklist(SKIP_REASONS) }));
export type Skipped = v.InferOutput<typeof SkippedSchema>;

const ModesSchema = readonly(
	v.object({
		/** What files and executable files have that are not among the others. */
		usual: readonly(v.object({ plain: count, executable: count })),
		/** All others. */
		other: readonly(v.record(text, count)),
	}),
);
export type Modes = v.InferOutput<typeof ModesSchema>;

/** What git's trees do not have. */
export const TreeFactsSchema = readonly(
	v.object({
		/** What git ignored; a directory, with all in it, ends in a slash. */
		ignored: listOf(text),
		skipped: listOf(SkippedSchema),
		/** Empty directories. */
		empty: listOf(text),
		modes: ModesSchema,
	}),
);
export type TreeFacts = v.InferOutput<typeof TreeFactsSchema>;
