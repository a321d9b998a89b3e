/** What lies at the places that a sandbox is made of. */
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { personOf } from "../project/project-of.ts";
import { entriesIn, namesIn } from "../record/files/regular-file.ts";
import type { Place } from "./confinement-of.ts";
import { KEPT_IN_PROJECT, REPLACED, SECRET_PLACES, TOLD_PLACES } from "./places.ts";

/** Undefined for what is not there, or may not be looked at. Sockets, pipes and devices are files here. */
export function lookAtPlace(path: string): Place | undefined {
	if (path === "") return undefined; // Node's realpath takes it for the working directory
	try {
		if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined; // most: realpath looks at each name of a path
		const real = realpathSync.native(path);
		const found = statSync(real);
		const is = found.isDirectory() ? "directory" : "file";
		const place: Place = { path: real, is, ...(found.isSocket() && { isSocket: true }) };
		return real === path ? place : { ...place, links: linksTo(path) };
	} catch {
		return undefined;
	}
}

/** Of the user, without links. */
export function homesOf(env: Readonly<Record<string, string | undefined>>): string[] {
	return [...new Set(personOf(env).homes.flatMap((home) => lookAtPlace(home)?.path ?? []))];
}

const MOST_LINKS = 40; // path_resolution(7)

/** The links that a path goes through, each with no other in its own path. It leads somewhere. */
function linksTo(path: string): string[] {
	const links: string[] = [];
	let open = path.split("/").filter((name) => name !== "");
	let at = "/";
	while (open.length > 0 && links.length < MOST_LINKS) {
		const [name = "", ...others] = open;
		const next = resolve(at, name);
		open = others;
		if (lstatSync(next).isSymbolicLink()) {
			links.push(next);
			const target = readlinkSync(next);
			open = [...target.split("/").filter((part) => part !== ""), ...others];
			if (target.startsWith("/")) at = "/";
		} else at = next;
	}
	return [...new Set(links)];
}

const MACHINE_FILES = ["/etc/resolv.conf", "/etc/hosts", "/etc/localtime", "/run/current-system", "/run/wrappers"];

/**
 * What programs need that lies where a sandbox has another directory: node, the program, the directories of PATH, the files
 * of name resolution. Without links.
 */
export function neededPlaces(run: {
	readonly nodeProgram: string;
	readonly agentProgram: string;
	readonly env: Readonly<Record<string, string>>;
}): string[] {
	const { nodeProgram, agentProgram, env } = run;
	const paths = [
		nodeProgram,
		dirname(dirname(agentProgram)),
		...(env.PATH ?? "").split(":"),
		env.HOME ?? "",
		...MACHINE_FILES,
	];
	const real = paths.filter((path) => path.startsWith("/") && existsSync(path)).map((path) => realpathSync(path));
	return [...new Set(real)].filter((path) => REPLACED.test(path));
}

/** Names that begin with a dot directly in a home: those that are there, and those that programs read as soon as they are. */
export function hiddenFilesOf(home: string): string[] {
	const known = [...KEPT_IN_PROJECT, ...SECRET_PLACES].map((name) => name.replace(/\/.*/, ""));
	return [...new Set([...hiddenNamesIn(home), ...known])].map((name) => `${home}/${name}`);
}

export function hiddenNamesIn(directory: string): string[] {
	return namesIn(directory).filter((name) => name.startsWith("."));
}

/** What the links in the user's places for skills, roles and commands lead to, where that is such a one: a link to a home shows no home. */
export function linkedSkills(own: string | undefined): string[] {
	if (own === undefined) return [];
	return TOLD_PLACES.flatMap((name) => linksIn(`${own}/${name}`)).flatMap((path) => {
		const place = lookAtPlace(path);
		const isOne = place?.is === "file" ? path.endsWith(".md") : existsSync(`${path}/SKILL.md`);
		return place !== undefined && isOne ? [place.path] : [];
	});
}

function linksIn(directory: string): string[] {
	return entriesIn(directory).flatMap((entry) => (entry.isSymbolicLink() ? [`${directory}/${entry.name}`] : []));
}
