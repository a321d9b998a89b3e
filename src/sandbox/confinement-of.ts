/** The confinement of a run, from what was asked for and what lies on the disk. Pure but for looking at paths. */
import { isAtOrBelow } from "../core/machine/paths.ts";
import {
	accessTo,
	type Confinement,
	isWritable,
	type Mount,
	type Network,
	type SandboxWish,
} from "../core/machine/sandbox.ts";
import { isOwn, type OwnPlaces } from "./own-places.ts";
import { KEPT_IN_PROJECT, mayBeSeenThrough, REPLACED, SECRET_PLACES, SYSTEM_SECRETS, TOLD_PLACES } from "./places.ts";

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
	/** Files that name a repository, which are kept, too, and links to one. */
	readonly pointers: readonly string[];
	/** Directories of programs, as PATH names them. */
	readonly programs: readonly string[];
	/** In its configuration there are places that agents are told to read. */
	readonly own: OwnPlaces;
	/** What links in these places lead to: skills that another program has, too. */
	readonly ownLinked?: readonly string[];
	/** Of what is kept in the project, what was made for that: record/placeholders.ts. */
	readonly made: readonly string[];
	/** What in a home that is the project, or lies in it, is kept as it is, also what is not there yet. */
	readonly inHome?: readonly string[];
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
	readonly isSocket?: true;
	/** Those that were followed to it, each with no other in its own path. */
	readonly links?: readonly string[];
}

/** `wish.mode` is not `off`. The paths of the wish are absolute. */
export function confinementOf(wish: SandboxWish, facts: ConfinementFacts): Confinement {
	const mode = wish.mode === "read-only" ? "read-only" : "workspace";
	const writable = [...(mode === "workspace" ? ofProject(facts) : []), ...(wish.allowWrite ?? [])];
	const written = writable
		.flatMap((path) => placed(path, "write", facts))
		.filter(({ path }) => !isOwn(path, facts.own));
	const kept = keptPlaces(facts)
		.flatMap((path) => placed(path, "read", facts))
		.filter(({ path }) => !isAtOrBelow(facts.top, path))
		.map((mount): Mount => (facts.made.includes(mount.path) ? { ...mount, isMade: true } : mount));
	const secret = secretsOf(facts).flatMap((path) => hidden(path, facts));
	const toCome = (facts.inHome ?? []).filter((path) => facts.lookAt(path) === undefined);
	const keptToCome = toCome.map((path): Mount => ({ path, as: "read" }));
	const guarded = [...[...kept, ...keptToCome].filter(({ path }) => accessTo(path, written) === "write"), ...secret];
	const denied = (wish.denyRead ?? []).flatMap((path) => hidden(path, facts));
	const { directories: own, keys } = ownMounts(facts.own, facts.lookAt);
	const isDenied = ({ path }: Mount) => denied.some((mount) => isAtOrBelow(path, mount.path));
	const copies = copiesOf(facts, { wish, written }).filter((mount) => !isDenied(mount));
	const shown = shownPlaces(wish, { secret, own, denied, written: [...copies, ...written] }, facts);
	const told = [...toldPlaces(facts, written), ...programPlaces(facts, { secret, denied })];
	const guards = [...guarded, ...told].filter((mount) => !isWished(mount, wish) && !isDenied(mount));
	const hosts = wish.allowHosts ?? [];
	const network = networkAsked(wish);
	const mounts = [
		...readPlaces(facts, written),
		...copies,
		...written,
		...own,
		...guards,
		...shown,
		...denied,
		...keys,
	];
	const held = heldPlaces(facts).filter((path) => accessTo(path, mounts) === "write");
	return { mode, mounts, network, hosts, ...(held.length > 0 && { held }) };
}

function ownMounts({ directories, files }: OwnPlaces, lookAt: ConfinementFacts["lookAt"]) {
	const all = (paths: readonly string[]) => paths.flatMap((path) => hidden(path, { lookAt }));
	return { directories: all(directories), keys: all(files) };
}

/** A mount stands on what a link leads to, and not on the link. */
function heldPlaces(facts: ConfinementFacts): string[] {
	const { configuration = "", files } = facts.own;
	const all = [...keptPlaces(facts), ...facts.pointers, configuration, ...files];
	return [...new Set(all.flatMap((path) => facts.lookAt(path)?.links ?? []))];
}

export function networkAsked({ network, allowHosts = [] }: SandboxWish): Network {
	return network ?? (allowHosts.length > 0 ? "proxy" : "host");
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
function readPlaces({ cwd, top, repository, own, lookAt }: ConfinementFacts, written: readonly Mount[]): Mount[] {
	return [...new Set([top, ...repository, cwd])]
		.filter((path) => path !== "/" && !isOwn(path, own) && accessTo(path, written) !== "write")
		.flatMap((path) => placed(path, "read", { lookAt }));
}

function keptPlaces({
	cwd,
	top,
	kept,
	inHome = [],
	pointers,
	own,
	ownLinked = [],
	lookAt,
}: ConfinementFacts): string[] {
	const ofFiles = [...new Set([top, cwd])].flatMap((directory) =>
		KEPT_IN_PROJECT.map((name) => `${directory}/${name}`),
	);
	const directory = lookAt(own.configuration ?? "")?.path;
	const told = directory === undefined ? [] : TOLD_PLACES.map((name) => `${directory}/${name}`);
	const ofOwn = [...told, ...ownLinked]; // runs elsewhere read what links among these lead to
	return [...ofFiles, ...kept, ...inHome, ...ofOwn, ...pointers.filter((path) => lookAt(path)?.is === "file")];
}

function secretsOf({ homes, secret, uid }: ConfinementFacts): string[] {
	const own = homes.flatMap((home) => SECRET_PLACES.map((name) => `${home}/${name}`));
	return [...own, ...secret, ...(uid === 0 ? SYSTEM_SECRETS : [])];
}

/** One that a link names is left hidden where commands could change what that leads to. */
function toldPlaces({ own, ownLinked = [], lookAt }: ConfinementFacts, written: readonly Mount[]): Mount[] {
	const directory = lookAt(own.configuration ?? "")?.path;
	if (directory === undefined) return [];
	const linked = ownLinked.flatMap((path) => placed(path, "read", { lookAt }));
	const inIt = TOLD_PLACES.map((name) => `${directory}/${name}`).flatMap((path): Mount[] => {
		const place = lookAt(path);
		const isSure = place !== undefined && (place.path === path || accessTo(place.path, written) !== "write");
		return isSure ? [{ path, as: "read" }] : [];
	});
	return [...inIt, ...linked.filter(({ path }) => accessTo(path, written) !== "write")];
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

/**
 * What would be hidden, and a person wants to be read; even where commands have another directory (`/tmp`), or see it so that no socket
 * there is reached. Who wants to read agentree's own names it, and no directory above. Each is a place of its
 * own: in a project that is the home directory it would be writable.
 */
function shownPlaces(
	{ allowRead = [] }: SandboxWish,
	{ secret, own, denied, written }: Readonly<Record<"secret" | "own" | "denied" | "written", readonly Mount[]>>,
	{ lookAt }: Pick<ConfinementFacts, "lookAt">,
): Mount[] {
	const places = allowRead.flatMap((path) => lookAt(path) ?? []);
	const named = places.map(({ path }) => path);
	const inHidden = named.filter((path) =>
		[...secret, ...own, ...denied].some((mount) => isAtOrBelow(path, mount.path)),
	);
	const isElsewhere = (path: string) => REPLACED.test(path) || mayBeSeenThrough(path);
	const elsewhere = places.flatMap(({ path, isSocket }) =>
		isSocket || (isElsewhere(path) && !isWritable(accessTo(path, written))) ? [path] : [],
	);
	const below = [...secret, ...denied].filter(({ path }) => named.some((above) => isAtOrBelow(path, above)));
	const paths = new Set([...inHidden, ...elsewhere, ...below.map(({ path }) => path)]);
	return [...paths].map((path) => ({ path, as: "read", isShown: true }));
}

/** Programs of a tool that lie in its own directory, which has keys, too. */
function programPlaces(
	{ programs, lookAt }: Pick<ConfinementFacts, "programs" | "lookAt">,
	{ secret, denied }: { secret: readonly Mount[]; denied: readonly Mount[] },
): Mount[] {
	const isIn = (path: string, mounts: readonly Mount[]) => mounts.some((mount) => isAtOrBelow(path, mount.path));
	const isSecret = (path: string) => secret.some((mount) => mount.path === path);
	return programs
		.flatMap((path) => placed(path, "read", { lookAt }))
		.filter(({ path }) => isIn(path, secret) && !isSecret(path) && !isIn(path, denied));
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
