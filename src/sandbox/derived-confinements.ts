/**
 * Confinements that are made of another one. Pure but for looking at paths.
 * - A run that goes on has what one that begins now would have, with what kept it in before.
 * - An agent with a git worktree of its own has that as its project, and can only read the tree of which it is. What all worktrees of the
 *   repository share stays writable, but for what is kept there.
 */

import { defined } from "../core/defined.ts";
import { isAtOrBelow } from "../core/machine/paths.ts";
import {
	accessTo,
	type Confinement,
	isHidden,
	type Mount,
	NETWORKS,
	type SandboxWish,
	subtree,
} from "../core/machine/sandbox.ts";
import type { OwnWorktree } from "../core/schemas/own-worktree.ts";
import type { ConfinementFacts } from "./confinement-of.ts";
import { KEPT_IN_PROJECT } from "./places.ts";

/** Of the user's configuration: whether there is a sandbox a run that goes on knows, and its network is only narrowed. */
export function configuredAgain(
	{ mode: _, isRequired: __, network: named, allowHosts, ...paths }: SandboxWish,
	was: Confinement | undefined,
): SandboxWish {
	const network = named ?? (allowHosts === undefined ? undefined : "proxy");
	const isNarrower = network !== undefined && NETWORKS.indexOf(network) > NETWORKS.indexOf(was?.network ?? "host");
	return { ...paths, ...(isNarrower && defined({ network, allowHosts })) };
}

/** `flags`: what is asked for now; `wish`: with what the configuration says. What a person has granted before holds where they say nothing else. */
export function wishAgain(flags: SandboxWish, wish: SandboxWish, was: Confinement): SandboxWish {
	const before = (isOne: (mount: Mount) => boolean) => was.mounts.filter(isOne).map(({ path }) => path);
	const granted = flags.allowWrite === undefined ? before(({ isGranted }) => isGranted === true) : [];
	const shown = flags.allowRead === undefined ? before(({ isShown }) => isShown === true) : [];
	return {
		...{ network: was.network, allowHosts: was.hosts },
		...defined(wish),
		allowWrite: [...granted, ...(wish.allowWrite ?? [])],
		allowRead: [...shown, ...(wish.allowRead ?? [])],
	};
}

/** With a mark at what flags have made writable. `paths`: without links. */
export function withGrants({ mounts, ...rest }: Confinement, paths: readonly string[]): Confinement {
	const isGrant = ({ path, as }: Mount) => as === "write" && paths.includes(path);
	return { ...rest, mounts: mounts.map((mount) => (isGrant(mount) ? { ...mount, isGranted: true } : mount)) };
}

/** `isThere`: a mount on what has gone meanwhile would keep every command from its start. */
export function joined(
	today: Confinement,
	was: Confinement,
	{ wish, isThere }: { readonly wish: SandboxWish; readonly isThere: (mount: Mount) => boolean },
): Confinement {
	const { allowWrite = [], allowRead = [] } = wish;
	const isWanted = ({ path }: Mount) => allowWrite.some((wished) => isAtOrBelow(wished, path));
	const isShown = ({ path }: Mount) => allowRead.some((wished) => isAtOrBelow(path, wished));
	const isOpen = ({ path }: Mount) => accessTo(path, today.mounts) === "write" && !isOneOf(path, today.mounts);
	const still = was.mounts.filter((mount) => {
		if (isWanted(mount) || !isThere(mount)) return false;
		return isHidden(mount.as) ? !isShown(mount) : mount.as === "read" && isOpen(mount);
	});
	return { ...today, mounts: [...today.mounts, ...still] };
}

/** What is writable for a reason of its own, as a project of which another one was the worktree before. */
function isOneOf(path: string, mounts: readonly Mount[]): boolean {
	return mounts.some((mount) => mount.path === path && mount.as === "write");
}

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
