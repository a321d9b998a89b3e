/**
 * What an agent's commands may touch. A confinement binds an agent and everything below it: a child narrows it and never
 * widens it, as with a limit. Paths are absolute and without links.
 */

import { coversHosts, readHostPattern } from "./host-pattern.ts";
import { isAtOrBelow } from "./paths.ts";

export const SANDBOX_MODES = ["off", "workspace", "read-only"] as const;
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** `proxy`: only hosts that are named, through the supervisor. */
export const NETWORKS = ["host", "proxy", "none"] as const;
export type Network = (typeof NETWORKS)[number];

/** What is asked for; what is absent stays as it is. */
export interface SandboxWish {
	readonly mode?: SandboxMode;
	/** Without a sandbox nothing is to be started. */
	readonly isRequired?: true;
	/** Directories. */
	readonly allowWrite?: readonly string[];
	/** Files and directories. */
	readonly allowRead?: readonly string[];
	readonly denyRead?: readonly string[];
	readonly network?: Network;
	/** Patterns of hosts: `example.org`, `*.example.org:8080`. */
	readonly allowHosts?: readonly string[];
}

/**
 * How a place is seen. The deepest mount above a path says how that is seen; without any it may be read. `copy`: what is written goes
 * to a layer of the run's own above the place, which stays as it is.
 */
export const ACCESSES = ["write", "copy", "read", "hidden directory", "hidden file"] as const;
type Access = (typeof ACCESSES)[number];

export interface Mount {
	readonly path: string;
	readonly as: Access;
	/** It is there for the sandbox alone, and removed at the end of the run. */
	readonly isMade?: true;
	/** It would be hidden: a person has asked for it. */
	readonly isShown?: true;
	/** A flag has made it writable. */
	readonly isGranted?: true;
}

export interface Confinement {
	readonly mode: Exclude<SandboxMode, "off">;
	readonly mounts: readonly Mount[];
	readonly network: Network;
	/** For the network `proxy`. */
	readonly hosts: readonly string[];
	/** Files, directories and links that are to stay as they are, in places that commands write to, and that no mount keeps so. */
	readonly held?: readonly string[];
}

/** How a path is seen in a confinement. */
export function accessTo(path: string, mounts: readonly Mount[]): Access {
	return deepestOver(path, mounts)?.as ?? "read";
}

/** Of the places that a path is at or below, the deepest; of two at one path the later one. */
export function deepestOver<P extends { readonly path: string }>(path: string, places: readonly P[]): P | undefined {
	const over = places.filter((place) => isAtOrBelow(path, place.path));
	return over.reduce<P | undefined>(
		(one, other) => (one === undefined || other.path.length >= one.path.length ? other : one),
		undefined,
	);
}

interface Narrowed {
	readonly confinement: Confinement;
	/** What was asked for and is not given, a line each. */
	readonly notices: readonly string[];
}

/** The confinement of a child. `hidden`: what the wish hides, as it is on the disk. */
export function narrowed(parent: Confinement, wish: SandboxWish, hidden: readonly Mount[]): Narrowed {
	const isReadOnly = parent.mode === "read-only" || wish.mode === "read-only";
	const isNarrower = isReadOnly && parent.mode !== "read-only";
	const asked = wish.allowWrite ?? [];
	const kept = asked.filter((path) => isWritable(accessTo(path, parent.mounts)));
	const all = isNarrower ? parent.mounts.map(readable) : parent.mounts;
	const writable = isNarrower ? kept.flatMap((path) => subtree(path, parent.mounts)) : [];
	const isSeen = ({ path }: Mount) => !hidden.some((mount) => isAtOrBelow(path, mount.path)); // a deeper mount would show its place
	const [network, ...notOfNetwork] = narrowedNetwork(parent.network, wish.network);
	const hosts = narrowedHosts(parent, wish);
	return {
		confinement: {
			mode: isReadOnly ? "read-only" : "workspace",
			mounts: [...[...all, ...writable].filter(isSeen), ...hidden],
			...{ network, hosts },
		},
		notices: [
			...(wish.mode === "off" ? ["--sandbox off: the sandbox of the agent above applies here as well"] : []),
			...asked
				.filter((path) => !kept.includes(path))
				.map((path) => `--allow-write ${path}: the agent above cannot write there`),
			...(wish.allowRead ?? [])
				.filter((path) => isHidden(accessTo(path, parent.mounts)))
				.map((path) => `--allow-read ${path}: it is hidden from the agent above as well`),
			...notOfNetwork,
			...(network === "proxy" ? (wish.allowHosts ?? []) : [])
				.filter((host) => !hosts.includes(host))
				.map((host) => `--allow-host ${host}: the agent above cannot reach it`),
		],
	};
}

export function isHidden(access: Access): boolean {
	return access === "hidden directory" || access === "hidden file";
}

/** In a sandbox; whether the files themselves change or a copy. */
export function isWritable(access: Access): boolean {
	return access === "write" || access === "copy";
}

function readable(mount: Mount): Mount {
	return mount.as === "write" ? { ...mount, as: "read" } : mount;
}

/** A directory that stays writable, and what lies below it as it was. */
export function subtree(path: string, mounts: readonly Mount[]): Mount[] {
	return [{ path, as: "write" }, ...mounts.filter((mount) => mount.path !== path && isAtOrBelow(mount.path, path))];
}

function narrowedNetwork(inForce: Network, asked: Network | undefined): [Network, ...string[]] {
	if (asked === undefined || asked === inForce) return [inForce];
	if (NETWORKS.indexOf(asked) > NETWORKS.indexOf(inForce)) return [asked];
	return [inForce, `--net ${asked}: the agent above has --net ${inForce}`];
}

/** A child of an agent with a list of hosts gets those of its own list that are on it. */
function narrowedHosts(parent: Confinement, { allowHosts = [] }: SandboxWish): readonly string[] {
	if (parent.network === "host") return allowHosts;
	return allowHosts.length === 0 ? parent.hosts : allowHosts.filter((host) => isCovered(host, parent.hosts));
}

function isCovered(host: string, own: readonly string[]): boolean {
	const inner = readHostPattern(host);
	const outer = own.flatMap((text) => readHostPattern(text) ?? []);
	return inner !== undefined && outer.some((pattern) => coversHosts(pattern, inner));
}
