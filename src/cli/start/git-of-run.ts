/** The project of a run, its repository, and what of git is kept there. */
import { realpathSync } from "node:fs";
import { isAtOrBelow } from "../../core/machine/at-or-below.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { foreignRepository, ownRepository } from "../../project/files/own-repository.ts";
import { personOf } from "../../project/person.ts";
import { type Project, projectOf } from "../../project/project-of.ts";
import { type Repository, repositoryNamedBy } from "../../project/repository-around.ts";
import { configurationsOf, type GitPlaces, gitPlaces } from "../../sandbox/git/git-places.ts";
import { homesOf, lookAtPlace } from "../../sandbox/look-at-places.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Paths are without links. */
export interface RunProject {
	readonly project: Project;
	/** The directories of its repository. */
	readonly repository: readonly string[];
	/** Those of the user. */
	readonly homes: readonly string[];
}

export function projectOfRun(
	cwd: string,
	{ env, worktree }: { readonly env: Environment; readonly worktree?: OwnWorktree | undefined },
): RunProject {
	const start = realpathSync(cwd);
	const project: Project = projectOf(start, personOf(env)) ?? { start, top: start, homes: [] };
	const named = worktree === undefined ? repositoryNamedBy(env, start) : undefined;
	return { project, repository: repositoriesOf(project, named), homes: homesOf(env) };
}

/** Directories, without links. `named`: by who starts the run, but its own files may be an agent's where it lies in the tree. */
function repositoriesOf({ top, repository }: Project, named: Repository | undefined): string[] {
	const [directory, common] = [named?.directory, named?.common].map((path) => lookAtPlace(path ?? "")?.path);
	const isMixed = directory && common && isAtOrBelow(directory, top) && !isAtOrBelow(common, top);
	const places = isMixed ? [] : [directory, common].flatMap((path) => path ?? []);
	return [...new Set([...(repository === undefined ? [] : ownRepository({ top, repository })), ...places])];
}

export const NO_GIT: GitPlaces = { kept: [], pointers: [], toCome: [], notices: [] };

export function gitOfRun({ project, repository, homes }: RunProject, env: Environment): GitPlaces {
	const { top, repository: found } = project;
	if (top === "/") return NO_GIT; // nothing in it can be written
	const foreign = found && foreignRepository({ top, repository: found });
	const own = [...repository, ...(foreign === undefined ? [] : [foreign])];
	return gitPlaces({ top, own, configurations: configurationsOf(env, homes), homes });
}
