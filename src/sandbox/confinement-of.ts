/** The confinement of a run, from what was asked for and what lies on the disk. Pure but for looking at paths. */
import { isAtOrBelow } from "../core/at-or-below.ts";
import { accessTo, type Confinement, type Mount, type SandboxWish } from "../core/sandbox.ts";
import { KEPT_IN_PROJECT, SECRET_PLACES, SYSTEM_SECRETS } from "./places.ts";

/** Paths are absolute and without links. */
export interface ConfinementFacts {
	readonly cwd: string;
	/** The directory of the project: of its repository, else the working directory. */
	readonly top: string;
	/** The directories of the repository: its own, and that of what its work trees share. */
	readonly repository: readonly string[];
	/** Agents work elsewhere. */
	readonly isTopReadOnly: boolean;
	readonly homes: readonly string[];
	/** Other places to hide, and others to keep as they are where they would be writable. */
	readonly secret: readonly string[];
	readonly kept: readonly string[];
	/** Of what is kept in the project, what was made for that: placeholders.ts. */
	readonly made: readonly string[];
	/** Where tools keep what they have fetched: caches.ts. */
	readonly caches: readonly string[];
	readonly uid: number;
	/** Undefined for what is not there, or may not be looked at. */
	readonly lookAt: (path: string) => Place | undefined;
}

export interface Place {
	/** Without links. */
	readonly path: string;
	readonly is: "directory" | "file";
}

/** `wish.mode` is not `off`. The paths of the wish are absolute. */
export function confinementOf(wish: SandboxWish, facts: ConfinementFacts): Confinement {
	const mode = wish.mode === "read-only" ? "read-only" : "workspace";
	const writable = [...(mode === "workspace" ? ofProject(facts) : []), ...(wish.allowWrite ?? [])];
	const written = writable.flatMap((path) => placed(path, "write", facts));
	const kept = keptPlaces(facts)
		.flatMap((path) => placed(path, "read", facts))
		.filter(({ path }) => !isAtOrBelow(facts.top, path))
		.map((mount): Mount => (facts.made.includes(mount.path) ? { ...mount, isMade: true } : mount));
	const secret = secretsOf(facts).flatMap((path) => hidden(path, facts));
	const guarded = [...kept.filter(({ path }) => accessTo(path, written) === "write"), ...secret];
	const denied = (wish.denyRead ?? []).flatMap((path) => hidden(path, facts));
	const guards = [...guarded.filter((mount) => !isWished(mount, wish)), ...denied];
	const hosts = wish.allowHosts ?? [];
	const network = wish.network ?? (hosts.length > 0 ? "proxy" : "host");
	const mounts = [...readPlaces(facts, written), ...copiesOf(facts, { wish, written }), ...written, ...guards];
	return { mode, mounts, network, hosts };
}

/** What a wish hides, as mounts. */
export function hiddenBy(wish: SandboxWish, lookAt: ConfinementFacts["lookAt"]): Mount[] {
	return (wish.denyRead ?? []).flatMap((path) => hidden(path, { lookAt }));
}

/** The root of all files is no project. */
function ofProject({ top, repository, isTopReadOnly }: ConfinementFacts): string[] {
	if (top === "/") return [];
	return isTopReadOnly ? [...repository] : [top, ...repository.filter((path) => !isAtOrBelow(path, top))];
}

/**
 * What commands work in and cannot write to. Elsewhere it could be read without a mount; in `/tmp`, where commands have another
 * one, it would not be there.
 */
function readPlaces({ cwd, top, repository, lookAt }: ConfinementFacts, written: readonly Mount[]): Mount[] {
	return [...new Set([top, ...repository, cwd])]
		.filter((path) => path !== "/" && accessTo(path, written) !== "write")
		.flatMap((path) => placed(path, "read", { lookAt }));
}

function keptPlaces({ cwd, top, kept, lookAt }: ConfinementFacts): string[] {
	const ofFiles = [...new Set([top, cwd])].flatMap((directory) =>
		KEPT_IN_PROJECT.map((name) => `${directory}/${name}`),
	);
	const pointer = `${top}/.git`; // a file names a repository elsewhere
	return [...ofFiles, ...kept, ...(lookAt(pointer)?.is === "file" ? [pointer] : [])];
}

function secretsOf({ homes, secret, uid }: ConfinementFacts): string[] {
	const own = homes.flatMap((home) => SECRET_PLACES.map((name) => `${home}/${name}`));
	return [...own, ...secret, ...(uid === 0 ? SYSTEM_SECRETS : [])];
}

/** Layers above caches that commands could not write to. */
function copiesOf(
	{ caches, lookAt }: ConfinementFacts,
	{ wish, written }: { wish: SandboxWish; written: readonly Mount[] },
): Mount[] {
	const places = caches.map(lookAt).flatMap((place) => (place?.is === "directory" ? [place.path] : []));
	const outer = places.filter((path) => !places.some((other) => other !== path && isAtOrBelow(path, other)));
	return [...new Set(outer)]
		.map((path): Mount => ({ path, as: "copy" }))
		.filter((mount) => accessTo(mount.path, written) !== "write" && !isWished(mount, wish));
}

/** A person who names a place wants it writable. */
function isWished({ path }: Mount, { allowWrite = [] }: SandboxWish): boolean {
	return allowWrite.some((wished) => wished === path || isAtOrBelow(wished, path));
}

function placed(path: string, as: "write" | "read", { lookAt }: Pick<ConfinementFacts, "lookAt">): Mount[] {
	const place = lookAt(path);
	return place === undefined ? [] : [{ path: place.path, as }];
}

function hidden(path: string, { lookAt }: Pick<ConfinementFacts, "lookAt">): Mount[] {
	const place = lookAt(path);
	return place === undefined ? [] : [{ path: place.path, as: `hidden ${place.is}` }];
}
