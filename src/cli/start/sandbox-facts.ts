/** What the sandbox of a run is decided by: the project, its repository, and what lies at the places that are kept or hidden. */
import type { Confinement, SandboxWish } from "../../core/machine/sandbox.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { placeholdersIn } from "../../record/placeholders.ts";
import { cachePlaces } from "../../sandbox/caches.ts";
import type { ConfinementFacts, Place } from "../../sandbox/confinement-of.ts";
import type { GitPlaces } from "../../sandbox/git/git-places.ts";
import { hiddenFilesOf, linkedSkills, lookAtPlace } from "../../sandbox/look-at-places.ts";
import { movedSecrets, programPlaces, secretsNamedBy } from "../../sandbox/named-places.ts";
import type { OwnPlaces } from "../../sandbox/own-places.ts";
import { SECRET_PLACES } from "../../sandbox/places.ts";
import type { RunProject } from "./git-of-run.ts";

export interface Wished {
	readonly mode: Confinement["mode"];
	readonly wish: SandboxWish;
	readonly runProject: RunProject;
	readonly git: GitPlaces;
	readonly own: OwnPlaces;
}

interface Host {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
	readonly agentProgram: string;
	/** In which the root works, in place of the project: that it need not write. */
	readonly worktree?: OwnWorktree | undefined;
}

export function factsOf(
	{ env, uid, agentProgram, worktree }: Host,
	{ mode, runProject, git, own }: Wished,
): ConfinementFacts {
	const { project, repository, homes } = runProject;
	const { start, top } = project;
	const isTree = repository.length > 0 && !repository.includes(top) && project.homes.length === 0;
	const isWritten = mode === "workspace" && worktree === undefined;
	const made = isTree && isWritten ? placeholdersIn(top) : [];
	const toCome: Place[] = [...git.toCome, ...made.map((path) => ({ path, is: "directory" }) as const)];
	const lookAt = (path: string) => lookAtPlace(path) ?? toCome.find((place) => place.path === path);
	const programs = programPlaces(env, start, agentProgram);
	return {
		...{ cwd: start, top, repository, uid, lookAt, homes },
		isTopReadOnly: worktree !== undefined,
		secret: [...secretsNamedBy(env), ...movedSecrets(SECRET_PLACES, env)],
		...{ own, ownLinked: linkedSkills(own.configuration), inHome: project.homes.flatMap(hiddenFilesOf) },
		...{ made, programs, caches: cachePlaces(env, homes) },
		kept: [...git.kept, ...programs],
		pointers: git.pointers,
	};
}
