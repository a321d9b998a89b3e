/** An agent's git worktree as people read of it. Pure. */
import type { KeptWorktree, KnownWorktree, OwnWorktree } from "../core/schemas/own-worktree.ts";
import { inOneLine } from "./terminal-safe.ts";

export const NONE_IF_READ_ONLY =
	"--worktree needs a sandbox in which something may be written: leave it out, or the read-only sandbox (that of --sandbox, or of the role)";

/** Why a worktree of it cannot be had in a sandbox. */
export function noWritableRepository(repository: string): string {
	return `--worktree: the sandbox lets nothing be written to the repository ${inOneLine(repository)}, which a worktree needs: --allow-write for the run would`;
}

const PLAIN = /^[\w@%+=:,./-]+$/;

/** `2 commits and 1 file not committed` */
export function describeLeft({ commits, files, reason }: Omit<KeptWorktree, "is">): string {
	const changes = [
		...(commits === 0 ? [] : [counted(commits, "commit")]),
		...(files === 0 ? [] : [`${counted(files, "file")} not committed`]),
	];
	const what = changes.length === 0 ? "no change that is known" : changes.join(" and ");
	return reason === undefined ? what : `${what} (${inOneLine(reason)})`;
}

/** That it is kept, with all that there is to say of it. */
export function describeKeptWorktree(worktree: OwnWorktree, kept: Omit<KeptWorktree, "is">): string {
	return `its git worktree is kept: ${describeKept(worktree, kept)}`;
}

/** Where it is, what is in it, and how it is taken over or removed: one line. */
function describeKept({ path, branch }: OwnWorktree, kept: Omit<KeptWorktree, "is">): string {
	const [place, name] = [path, branch].map(shellWord);
	const commit = kept.files === 0 || kept.isUntied ? "" : `git -C ${place} add -A && git -C ${place} commit; `;
	const isUnchanged = kept.commits === 0 && kept.files === 0;
	const merge = isUnchanged ? "" : `to take it over: ${commit}git merge ${name}; `;
	const drop = `${kept.isGone ? "" : `git worktree remove --force ${place} && `}git branch -D ${name}`;
	return `${inOneLine(path)}, branch ${inOneLine(branch)}, ${describeLeft(kept)}; ${merge}to remove it: ${drop}`;
}

/** How it stands, for the facts about its agent. */
export function describeWorktree({ state, ...worktree }: KnownWorktree): string {
	const where = `${inOneLine(worktree.path)}, branch ${inOneLine(worktree.branch)}`;
	switch (state.is) {
		case "used":
			return where;
		case "kept":
			return describeKept(worktree, state);
		case "removed":
			return `${where}: removed, since nothing was in it that would be lost`;
	}
}

function counted(count: number, what: string): string {
	return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

function shellWord(text: string): string {
	const word = inOneLine(text);
	return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
