/** What a person is told of the places of a sandbox before a run starts in it, a line each. */
import { isAtOrBelow } from "../../core/at-or-below.ts";
import type { SandboxWish } from "../../core/sandbox.ts";
import type { Project } from "../../project/project-of.ts";
import { hiddenNamesIn, lookAtPlace } from "../../sandbox/look-at-places.ts";
import { othersPlaces } from "../../sandbox/others-places.ts";
import { isOwn, type OwnPlaces } from "../../sandbox/own-places.ts";
import { foreignRepository } from "../../worktree/own-repository.ts";

/** Commands have one of their own. */
const IS_OTHER = /^(\/var)?\/tmp$/;

/** What a person has named. */
export function missingPlaces({ allowWrite = [], allowRead = [], denyRead = [] }: SandboxWish): string[] {
	const missing = (paths: readonly string[]) => paths.filter((path) => lookAtPlace(path) === undefined);
	return [
		...missing(allowWrite).map((path) => `${path} is not there, so it is not made writable`),
		...missing(allowRead).map((path) => `${path} is not there, so it is not shown`),
		...allowRead
			.filter((path) => IS_OTHER.test(path))
			.map((path) => `commands have another ${path}: --allow-read names what lies in it`),
		...missing(denyRead).map((path) => `${path} is not there, so it is not hidden`),
	];
}

/** What of agentree's own a person has named. */
export function ownPlacesNamed({ allowWrite = [], allowRead = [] }: SandboxWish, own: OwnPlaces): string[] {
	const pathOf = (path: string) => lookAtPlace(path)?.path ?? path;
	const keys = own.files.map(pathOf);
	return [
		...allowWrite
			.filter((path) => isOwn(pathOf(path), own) || keys.includes(pathOf(path)))
			.map((path) => `${path} is agentree's own, so it is not made writable`),
		...allowRead
			.filter((path) => keys.includes(pathOf(path)))
			.map((path) => `${path} may have agentree's keys in it, so it is not shown`),
	];
}

/** Of the places that commands write to. */
export function writtenPlaces(
	project: Project,
	wish: SandboxWish,
	user: { readonly program: string; readonly uid: number },
): string[] {
	const { top, start } = project;
	return [
		...othersPlaces([top, start, ...(wish.allowWrite ?? [])], user),
		...foreignPlaces(project, wish),
		...openHomes(project),
	];
}

function foreignPlaces({ top, repository }: Project, { allowWrite = [] }: SandboxWish): string[] {
	const foreign = repository && foreignRepository({ top, repository });
	if (foreign === undefined || allowWrite.some((path) => isAtOrBelow(foreign, path))) return [];
	const leads = `${top}/.git leads to ${foreign}, which may be the repository of another work tree`;
	return [`${leads}: commands can read it, and git cannot write there; --allow-write ${foreign} lets it`];
}

function openHomes({ top, homes }: Project): string[] {
	if (top === "/") return []; // nothing is written there
	return homes
		.filter((home) => hiddenNamesIn(home).some((name) => name !== ".config")) // which agentree makes where nothing is hidden yet
		.map((home) => `${home} is a home directory and no project: commands can write there, but not to its hidden files`);
}
