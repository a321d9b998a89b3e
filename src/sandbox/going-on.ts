/** The sandbox of a run that goes on: what one that begins now would have, with what kept it in before. Pure. */

import { defined } from "../core/defined.ts";
import { isAtOrBelow } from "../core/machine/paths.ts";
import {
	accessTo,
	type Confinement,
	isHidden,
	type Mount,
	NETWORKS,
	type SandboxWish,
} from "../core/machine/sandbox.ts";

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
