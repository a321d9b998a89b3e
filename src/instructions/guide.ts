/** What a directory's project, and the user, have written down for those who work there. */
import { basename, join } from "node:path";
import type { InstructionPlaces, KeptFile } from "../protocol/supervise-order.ts";
import { fitInstructions } from "./fit-instructions.ts";
import { type Instructions, instructionsIn } from "./instruction-files.ts";
import type { KeptFiles } from "./kept-files.ts";
import { type Project, projectOf, realPath } from "./project.ts";

export interface Guide {
	/** Undefined for a directory that is not there. */
	readonly project: Project | undefined;
	readonly ofProject: Instructions;
	readonly ofUser: Instructions;
}

/** A file, and what it is to agents, in words. */
export type GuideFile = KeptFile & { readonly what: string };

const NONE: Instructions = { files: [], notices: [] };

/** Reads what there is for the directory, whether it is trusted or not. */
export function findGuide(directory: string, places: InstructionPlaces, kept: KeptFiles): Guide {
	const { home, own } = places;
	const project = projectOf(directory, { home, roots: places.trusted });
	const ofUser = own === undefined ? NONE : instructionsIn([own], ownReach(own, places, kept));
	if (project === undefined) return { project, ofProject: NONE, ofUser };
	const within = [project.root, ...[realPath(own ?? "")].filter((path) => path !== undefined)];
	const named = own === undefined ? within : [...within, join(own)];
	const reach = { kept, home, rule: { within }, mayImportFrom: named };
	return { project, ofProject: instructionsIn(project.directories, reach), ofUser };
}

/** The user's own files may be links to anywhere, as those that keep them in a repository have it. */
function ownReach(own: string, { home, uid }: InstructionPlaces, kept: KeptFiles) {
	return { kept, home, rule: { owner: uid }, mayImportFrom: [own] };
}

/** What agents are told of it: all that is the user's own, and what is the project's if it is trusted; within the bound. */
export function toldOf({ ofProject, ofUser, ...guide }: Guide, isTrusted: boolean): Guide {
	const { first, last } = fitInstructions(isTrusted ? ofProject : NONE, ofUser);
	return { ...guide, ofProject: first, ofUser: last };
}

/** All files of it that agents are told something of. */
export function filesOf({ files }: Instructions): GuideFile[] {
	return files.map(({ importedBy, ...file }) => ({
		...file,
		what: importedBy === undefined ? "instructions" : `instructions, imported by ${basename(importedBy)}`,
	}));
}
