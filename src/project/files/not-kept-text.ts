/** What is not kept of a tree, and why something is left as it is, in words. Pure. */
import type { Skipped } from "../../core/schemas/kept-tree.ts";
import type { LeftReason } from "./plan-put-back.ts";
import { shownPath } from "./tree-path.ts";

const MAX_NAMED = 3;

/** `2 files are too large (a.bin, b.bin), 1 repository inside (sub/)`; undefined when all is kept. */
export function describeSkipped(skipped: readonly Skipped[]): string | undefined {
	const parts = WORDS.flatMap(({ because, one, many }) => {
		const paths = skipped.filter((other) => other.because === because).map(({ path }) => shownPath(path));
		if (paths.length === 0) return [];
		const named = paths.slice(0, MAX_NAMED).join(", ");
		return [`${paths.length} ${paths.length === 1 ? one : many} (${named}${paths.length > MAX_NAMED ? ", …" : ""})`];
	});
	return parts.length === 0 ? undefined : parts.join(", ");
}

const WORDS: readonly { because: Skipped["because"]; one: string; many: string }[] = [
	{ because: "too_large", one: "file that is too large", many: "files that are too large" },
	{ because: "no_room", one: "file without room", many: "files without room" },
	{ because: "repository", one: "repository inside", many: "repositories inside" },
	{ because: "not_readable", one: "file that cannot be read", many: "files that cannot be read" },
	{ because: "special", one: "that is not a file", many: "that are not files" },
];

export function describeLeft(because: LeftReason): string {
	switch (because.is) {
		case "ignored":
			return "git ignores it";
		case "not_kept":
			return "it is not saved";
		case "changed_meanwhile":
			return "it is being changed";
		case "something_else_there":
			return "something that is not saved is in its place";
		case "system":
			return SYSTEM[because.code] ?? because.code;
	}
}

const SYSTEM: Readonly<Record<string, string>> = {
	EACCES: "permission denied",
	EPERM: "permission denied",
	EROFS: "the file system is read-only",
	EBUSY: "it is in use",
	ETXTBSY: "it is in use",
	ENOSPC: "the disk is full",
	EDQUOT: "the disk is full",
	ENOTDIR: "a file is in place of its directory",
	ELOOP: "a link is in place of its directory",
	ENOTEMPTY: "a directory with unsaved files is in its place",
	ENOENT: "it is gone",
};
