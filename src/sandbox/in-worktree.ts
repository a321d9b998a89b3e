/**
 * The confinement of an agent that has a git worktree of its own: that is its project, and the tree of which it is can be read
 * alone. What all worktrees of the repository share stays writable, but for what is kept there.
 */
import { isAtOrBelow } from "../core/machine/paths.ts";
import { accessTo, type Confinement, type Mount, subtree } from "../core/machine/sandbox.ts";
import type { OwnWorktree } from "../core/schemas/own-worktree.ts";
import type { ConfinementFacts } from "./confinement-of.ts";
import { KEPT_IN_PROJECT } from "./places.ts";

/** `allowed`: what was asked for besides, and was writable. Pure. */
export function inWorktree(before: Confinement, own: OwnWorktree, allowed: readonly string[] = []): Confinement {
	const { path, origin, repository } = own;
	const mayWrite = (place: string) => accessTo(place, before.mounts) === "write";
	const isTree = origin !== repository && mayWrite(origin) && !allowed.some((place) => isAtOrBelow(origin, place));
	const shared: Mount[] = mayWrite(repository) ? subtree(repository, before.mounts) : [];
	const wished = allowed
		.filter((place) => isAtOrBelow(place, origin))
		.flatMap((place) => subtree(place, before.mounts));
	const mounts: Mount[] = [
		...before.mounts,
		...(isTree ? [{ path: origin, as: "read" } as const] : []),
		...shared,
		...wished,
		{ path, as: before.mode === "read-only" ? "read" : "write" },
	];
	return { ...before, mounts };
}

/**
 * Once it is made: what in it is kept, or hidden, as in the tree of which it is. `entry`: the repository's own directory for it. With
 * another `.git` in it, or another `commondir` there, a person's git in it would run what an agent has written.
 */
export function guardsInWorktree(
	{ mounts }: Confinement,
	{ path, cwd, origin, entry }: OwnWorktree & { entry: string | undefined },
	lookAt: ConfinementFacts["lookAt"],
): Mount[] {
	const names = [...new Set([path, cwd])].flatMap((directory) => KEPT_IN_PROJECT.map((name) => `${directory}/${name}`));
	const ofGit = ["commondir", "gitdir", "config.worktree"].flatMap((name) => (entry ? [`${entry}/${name}`] : []));
	const kept = [`${path}/.git`, ...names, ...ofGit].flatMap((place) => lookAt(place)?.path ?? []);
	const hidden = mounts.filter(({ as, path: place }) => as.startsWith("hidden") && isAtOrBelow(place, origin));
	return [
		...kept
			.filter((place) => accessTo(place, mounts) === "write")
			.map((place) => ({ path: place, as: "read" }) as const),
		...hidden.flatMap(({ path: place }): Mount[] => {
			const found = lookAt(`${path}${place.slice(origin.length)}`);
			return found === undefined || !isAtOrBelow(found.path, path)
				? []
				: [{ path: found.path, as: `hidden ${found.is}` }];
		}),
	];
}

/** For the git that removes a worktree: it has to take away its entry, with what is kept in that. */
export function withoutEntry(confinement: Confinement, entry: string | undefined): Confinement {
	if (entry === undefined) return confinement;
	return { ...confinement, mounts: confinement.mounts.filter(({ path }) => !isAtOrBelow(path, entry)) };
}
