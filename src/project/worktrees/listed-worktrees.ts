/** The worktrees of a repository, as it has them down. No git runs in any of them. */
import { type RepositoryGit, told } from "./repository-git.ts";

export interface ListedWorktree {
	readonly path: string;
	/** The commit of its HEAD; undefined for a branch without one. */
	readonly commit: string | undefined;
	/** The full name of the branch that its HEAD is on; undefined for none. */
	readonly branch: string | undefined;
}

/** Undefined when git does not say. */
export async function listedWorktrees(
	repository: string,
	git: Pick<RepositoryGit, "of">,
): Promise<ListedWorktree[] | undefined> {
	const listed = told(await git.of(repository, "worktree", "list", "--porcelain"));
	return listed?.split("\n\n").flatMap((entry) => {
		const value = (name: string) =>
			entry
				.split("\n")
				.find((line) => line.startsWith(`${name} `))
				?.slice(name.length + 1);
		const path = value("worktree");
		return path === undefined ? [] : [{ path, commit: commitIn(value("HEAD")), branch: value("branch") }];
	});
}

function commitIn(head: string | undefined): string | undefined {
	return head === undefined || /^0+$/.test(head) ? undefined : head;
}
