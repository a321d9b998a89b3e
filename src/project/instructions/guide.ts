/** What a directory's project, and the user, have written down for those who work there. */
import { Buffer } from "node:buffer";
import { basename, dirname, join } from "node:path";
import { formatBytes } from "../../core/bytes.ts";
import { preview } from "../../core/preview.ts";
import { realPath } from "../../record/files/regular-file.ts";
import type { InstructionPlaces, KeptFile } from "../../wire/supervise-order.ts";
import { type Project, projectOf } from "../project-of.ts";
import { type Definition, definedIn, isName, type Kind, type OfFile, skillFile } from "./defined-files.ts";
import { readFrontMatter, textOf } from "./front-matter.ts";
import {
	boundedNotices,
	type InstructionFile,
	type Instructions,
	instructionsIn,
	type Reach,
} from "./instruction-files.ts";
import type { KeptFiles, Reads } from "./kept-files.ts";
import { ROLES, type Role } from "./role.ts";
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

/** A skill: a file that says how something is done. Agents are told its name and where it is, and read it when they need it. Pure. */

const MAX_DESCRIPTION = 1_000; // characters that are kept; the list in a prompt has fewer

interface Skill {
	readonly name: string;
	readonly description: string;
}

const SKILLS: Kind<Skill> = { called: "skill", fileOf: skillFile, read: readSkill };

/** Without a name it has that of its directory. */
function readSkill({ text, path }: KeptFile): Definition<Skill> {
	const read = readFrontMatter(text);
	if (read === undefined) return { is: "refused", why: "its front matter is not closed" };
	const description = preview(textOf(read.values.get("description")), MAX_DESCRIPTION);
	if (description === "") return { is: "refused", why: "it has no front matter with a description" };
	const name = textOf(read.values.get("name")) || basename(dirname(path));
	if (!isName(name)) return { is: "refused", why: `"${preview(name, 100)}" is not a valid name for a skill` };
	return { is: "defined", what: { name, description } };
}

/** The bound of all instructions of an agent together. The nearest to the work are kept whole for longest. Pure. */
export const MAX_ALL_BYTES = 64 * 1024;
const MAX_NAMES_CHARS = 600; // of the files that are left out: agents are told them

/** `last` counts before `first`, and has the room first. In each of them the later files have it before the earlier ones. */
function fitInstructions(first: Instructions, last: Instructions): { first: Instructions; last: Instructions } {
	const fitLast = fitted(last, MAX_ALL_BYTES);
	const fitFirst = fitted(first, MAX_ALL_BYTES - sizeOf(fitLast.files));
	return { first: fitFirst, last: fitLast };
}

function fitted({ files, notices }: Instructions, room: number): Instructions {
	const kept: InstructionFile[] = [];
	const left: string[] = [];
	for (const file of files.toReversed()) {
		if (sizeOf([file, ...kept]) <= room) kept.unshift(file);
		else left.push(file.path);
	}
	const names = left.reverse().join(", ");
	const notice = `omitted, because instructions can have ${formatBytes(MAX_ALL_BYTES)} in total: ${preview(names, MAX_NAMES_CHARS)}`;
	return { files: kept, notices: left.length === 0 ? notices : [...notices, notice] };
}

function sizeOf(files: readonly InstructionFile[]): number {
	return files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** Where in the directories of a project the files of a kind lie. Pure. */

/** The directories' names. */
type PlaceKind = "agents" | "skills" | "commands";

/** What lies in a later one goes before what lies in an earlier one. */
function projectPlaces(directories: readonly string[], kind: PlaceKind): string[] {
	return directories.flatMap((directory) => [join(directory, ".claude", kind), join(directory, ".agentree", kind)]);
}
