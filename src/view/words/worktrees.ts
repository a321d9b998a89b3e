/** An agent's git worktree as people read of it. Pure. */

import type { KeptWorktree, KnownWorktree, OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { counted } from "../../text/numbers.ts";
import { inOneLine } from "../../text/safe/terminal-safe.ts";

export const NONE_IF_READ_ONLY =
	"--worktree needs a writable sandbox: leave out --worktree, or the read-only sandbox (from --sandbox or the role)";

/** Why a worktree of it cannot be had in a sandbox. */
export function noWritableRepository(repository: string): string {
	return `--worktree: the sandbox makes the repository ${inOneLine(repository)} read-only, and a worktree needs to write to it: start the run with --allow-write`;
}

const PLAIN = /^[\w@%+=:,./-]+$/;

/** `2 changes in /p are not in it` */
export function describeUncommitted({ origin, uncommitted = 0 }: OwnWorktree): string | undefined {
	if (uncommitted === 0) return undefined;
	return `${counted(uncommitted, "change")} in ${inOneLine(origin)} ${uncommitted === 1 ? "is" : "are"} not in it`;
}

/** To who starts an agent in it. Undefined where all is committed. */
export function noticeOfUncommitted(worktree: OwnWorktree): string | undefined {
	const absent = describeUncommitted(worktree);
	return absent && `its worktree has only committed files: ${absent}`;
}

/** `2 commits and 1 file not committed` */
export function describeLeft({ commits, files, reason }: Omit<KeptWorktree, "is">): string {
	const changes = [
		...(commits === 0 ? [] : [counted(commits, "commit")]),
		...(files === 0 ? [] : [`${counted(files, "file")} not committed`]),
	];
	const what = changes.length === 0 ? "no known changes" : changes.join(" and ");
	return reason === undefined ? what : `${what} (${inOneLine(reason)})`;
}

/** That it is kept, with all that there is to say of it. */
export function describeKeptWorktree(worktree: OwnWorktree, kept: Omit<KeptWorktree, "is">): string {
	return `its git worktree was kept: ${describeKept(worktree, kept)}`;
}

/** Where it is, what is in it, and how it is taken over and then removed: one line. */
function describeKept(worktree: OwnWorktree, kept: Omit<KeptWorktree, "is">): string {
	const taken = takingOver(worktree, kept);
	const advice = taken === "" ? (kept.isMerged ? "already merged; " : "") : `to merge it: ${taken}; then, `;
	return `${inOneLine(worktree.path)}, ${whereIn(worktree, kept)}, ${describeLeft(kept)}; ${advice}to remove it: ${removing(worktree, kept)}`;
}

function whereIn({ branch }: OwnWorktree, { head, isBranchGone }: Omit<KeptWorktree, "is">): string {
	if (head === undefined) return `branch ${inOneLine(branch)}`;
	const at =
		head.branch === undefined
			? `at commit ${inOneLine(head.commit).slice(0, 12)}, detached HEAD`
			: `on branch ${inOneLine(head.branch)}`;
	return `${at} (its branch ${inOneLine(branch)}${isBranchGone ? " is gone" : ""})`;
}

/** Merges what has commits: its branch, and its HEAD where that is elsewhere. What is not committed comes to its HEAD first. */
function takingOver({ path, branch }: OwnWorktree, kept: Omit<KeptWorktree, "is">): string {
	const { commits, head, isUntied, isMerged } = kept;
	if (isMerged && kept.files === 0) return "";
	const place = shellWord(path);
	const hasFiles = kept.files > 0 && !isUntied;
	const isInHead = head === undefined ? commits > 0 || hasFiles : head.ahead > 0 || hasFiles;
	return [
		...(hasFiles ? [`git -C ${place} add -A`, `git -C ${place} commit -m ${shellWord(branch)}`] : []),
		...(head !== undefined && commits > head.ahead ? [`git merge ${shellWord(branch)}`] : []),
		...(isInHead ? [`git merge ${headIn(path, kept, branch)}`] : []),
	].join(" && ");
}

/** Git refuses, or the first of the commands does, where something would be lost. */
function removing({ path, branch }: OwnWorktree, kept: Omit<KeptWorktree, "is">): string {
	const { head, isGone, isBranchGone } = kept;
	const isOnNone = head !== undefined && head.branch === undefined && head.ahead + kept.files > 0;
	return [
		...(isOnNone ? [`git merge-base --is-ancestor ${headIn(path, kept, branch)} HEAD`] : []),
		...(isGone ? [] : [`git worktree remove ${shellWord(path)}`]),
		...(isGone && isBranchGone ? ["git worktree prune"] : []),
		...(isBranchGone ? [] : [`git branch -d ${shellWord(branch)}`]),
	].join(" && ");
}

/** What the HEAD of a worktree is, for a command: of one on no branch, it is looked up when that runs, where git may run there. */
function headIn(path: string, { head, isGone, isUntied }: Omit<KeptWorktree, "is">, own: string): string {
	if (head === undefined) return shellWord(own);
	if (head.branch !== undefined)
		return shellWord(head.branch.startsWith("-") ? `refs/heads/${head.branch}` : head.branch);
	return isGone || isUntied ? shellWord(head.commit) : `"$(git -C ${shellWord(path)} rev-parse HEAD)"`;
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
			return `${where}: removed, since it had no changes`;
	}
}

function shellWord(text: string): string {
	const word = inOneLine(text);
	return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
