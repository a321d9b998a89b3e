/** What a directory's project, and the user, have written down for those who work there. */
import { basename, dirname, join } from "node:path";
import { type Project, projectOf } from "../project/project-of.ts";
import type { InstructionPlaces, KeptFile } from "../protocol/supervise-order.ts";
import { realPath } from "../store/real-path.ts";
import { boundedNotices } from "./bounded-notices.ts";
import { definedIn, type OfFile } from "./defined-files.ts";
import { fitInstructions } from "./fit-instructions.ts";
import { type Instructions, instructionsIn, type Reach } from "./instruction-files.ts";
import type { KeptFiles, Reads } from "./kept-files.ts";
import { type PlaceKind, projectPlaces } from "./project-places.ts";
import { ROLES, type Role } from "./role.ts";
import { SKILLS, type Skill } from "./skill.ts";
import { USER_COMMANDS, type UserCommand } from "./user-command.ts";

/** What one of the two has written down. */
export interface Found {
	readonly instructions: Instructions;
	readonly roles: readonly OfFile<Role>[];
	readonly skills: readonly OfFile<Skill>[];
	readonly commands: readonly OfFile<UserCommand>[];
	/** Files that define no role, skill or command, and why. */
	readonly notices: readonly string[];
}

export interface Guide {
	/** Undefined for a directory that is not there. */
	readonly project: Project | undefined;
	readonly ofProject: Found;
	readonly ofUser: Found;
}

/** A file, and what it is to agents, in words. */
export type GuideFile = KeptFile & { readonly what: string };

const NO_INSTRUCTIONS: Instructions = { files: [], notices: [] };
const NONE: Found = { instructions: NO_INSTRUCTIONS, roles: [], skills: [], commands: [], notices: [] };

/**
 * Reads what there is for the directory, whether it is trusted or not. `isOfAgents`: agents that may not read the user's own directory
 * may have written there, so nothing there imports from it.
 */
export function findGuide(directory: string, places: InstructionPlaces, kept: KeptFiles, isOfAgents = false): Guide {
	const { home, own } = places;
	const project = projectOf(directory, places, places.trusted);
	const ofUser =
		own === undefined ? NONE : foundIn([own], (kind) => [join(own, kind)], ownReach(own, places, kept.forDirectory()));
	if (project === undefined) return { project, ofProject: NONE, ofUser };
	const importable = isOfAgents ? undefined : own;
	const within = [project.top, ...[realPath(importable ?? "")].filter((path) => path !== undefined)];
	const named = importable === undefined ? within : [...within, join(importable)];
	const reach = { reads: kept.forDirectory(), home, rule: { within }, mayImportFrom: named };
	const directories = directoriesOf(project);
	return { project, ofProject: foundIn(directories, (kind) => projectPlaces(directories, kind), reach), ofUser };
}

const MAX_DIRECTORIES = 64;

/** From the top down to where work begins. */
function directoriesOf({ start, top }: Pick<Project, "start" | "top">): string[] {
	const directories: string[] = [];
	for (let at = start; directories.length < MAX_DIRECTORIES; at = dirname(at)) {
		directories.unshift(at);
		if (at === top) break;
	}
	return directories;
}

/** What agents are told of it: all that is the user's own, and what is the project's if it is trusted; within the bound. */
export function toldOf({ ofProject, ofUser, ...guide }: Guide, isTrusted: boolean): Guide {
	const used = isTrusted ? ofProject : NONE;
	const { first, last } = fitInstructions(used.instructions, ofUser.instructions);
	return { ...guide, ofProject: { ...used, instructions: first }, ofUser: { ...ofUser, instructions: last } };
}

/** All files of it that agents are told something of. */
export function filesOf({ instructions, roles, skills, commands }: Found): GuideFile[] {
	return [
		...instructions.files.map(({ importedBy, ...file }) => ({
			...file,
			what: importedBy === undefined ? "instructions" : `instructions, imported by ${basename(importedBy)}`,
		})),
		...roles.map(({ file, name, description }) => ({ ...file, what: `role ${name}: ${description}` })),
		...skills.map(({ file, name, description }) => ({ ...file, what: `skill ${name}: ${description}` })),
		...commands.map(({ file, name, description }) => ({ ...file, what: `command /${name}: ${description}` })),
	];
}

/** What of it is not used, and why, a line each. */
export function noticesOf({ instructions, notices }: Found): string[] {
	return [...instructions.notices, ...notices];
}

function foundIn(
	directories: readonly string[],
	placesOf: (kind: PlaceKind) => readonly string[],
	reach: Reach,
): Found {
	const instructions = instructionsIn(directories, reach); // first: they have the room before all others
	const roles = definedIn(placesOf("agents"), ROLES, reach);
	const skills = definedIn(placesOf("skills"), SKILLS, reach);
	const commands = definedIn(placesOf("commands"), USER_COMMANDS, reach);
	return {
		instructions,
		...{ roles: roles.all, skills: skills.all, commands: commands.all },
		notices: boundedNotices([roles, skills, commands].flatMap(({ notices }) => notices)),
	};
}

/** What is left of it for who is told nothing: the roles that can be asked for. */
export function onlyRoles({ roles, notices }: Found): Found {
	return { ...NONE, roles, notices };
}

/** The user's own files may be links to anywhere, as those that keep them in a repository have it. */
function ownReach(own: string, { home, uid }: InstructionPlaces, reads: Reads): Reach {
	return { reads, home, rule: { owner: uid }, mayImportFrom: [own] };
}
