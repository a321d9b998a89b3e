/**
 * Variables that tie git to one repository, one index and one quarantine, as git itself sets them for a hook, an alias or
 * `git rebase --exec`. With them, git in another directory still works on that repository.
 */
const TIES: ReadonlySet<string> = new Set([
	...["GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_NAMESPACE"],
	...["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_SHALLOW_FILE"],
	...["GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE", "GIT_INTERNAL_SUPER_PREFIX"],
]);
/** What comes with them, and without them is a person's own, or an alias's. */
const BESIDE: ReadonlySet<string> = new Set([
	...[
		"GIT_PREFIX",
		"GIT_CONFIG_PARAMETERS",
		"GIT_REFLOG_ACTION",
		"GIT_CONFIG",
		"GIT_AUTHOR_DATE",
		"GIT_COMMITTER_DATE",
	],
]);

/** The names of the ties that are set. */
export function gitTiesIn(env: Readonly<Record<string, string | undefined>>): string[] {
	return Object.keys(env)
		.filter((name) => TIES.has(name))
		.sort();
}

export function withoutGitTies<T>(env: Readonly<Record<string, T>>): Record<string, T> {
	return Object.fromEntries(Object.entries(env).filter(([name]) => !TIES.has(name) && !BESIDE.has(name)));
}
