/** Looks at what the sandbox of a run depends on: bubblewrap, the project and its repository, and the places that are kept or hidden. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { accessTo, type Confinement, type SandboxWish } from "../../core/machine/sandbox.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { type Project, personOf, projectOf } from "../../project/project-of.ts";
import {
	foreignRepository,
	ownRepository,
	type Repository,
	repositoryNamedBy,
} from "../../project/repository-around.ts";
import { makePrivateDirectory } from "../../record/files/private-files.ts";
import { placeholdersIn } from "../../record/placeholders.ts";
import { cachePlaces } from "../../sandbox/caches.ts";
import { type ConfinementFacts, networkAsked, type Place } from "../../sandbox/confinement-of.ts";
import { configurationsOf, type GitPlaces, gitPlaces } from "../../sandbox/git/git-places.ts";
import { hiddenFilesOf, hiddenNamesIn, homesOf, linkedSkills, lookAtPlace } from "../../sandbox/look-at-places.ts";
import { isOwn, type OwnPlaces, ownPlaces } from "../../sandbox/own-places.ts";
import { movedSecrets, programPlaces, SECRET_PLACES, secretsNamedBy } from "../../sandbox/places.ts";
import { othersPlaces, rememberedProbe } from "../../sandbox/probe.ts";
import { desktopSockets } from "../../sandbox/socket-places.ts";
import { type FoundSandbox, planSandbox, type SandboxContext, wantedSandbox, whyNeeded } from "./sandbox-of-run.ts";
import type { StartRequest } from "./start-request.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type SandboxRequest = Pick<StartRequest, "sandbox" | "asking" | "cwd" | "envFile" | "credentialsFile">;

export interface SandboxHost extends SandboxContext {
	readonly env: Environment;
	readonly uid: number;
	/** The state directory. */
	readonly home: string;
	readonly agentProgram: string;
	/** Where the root works instead of in the project, which it then need not write to. */
	readonly worktree?: OwnWorktree | undefined;
}

export interface SandboxLook {
	readonly found: FoundSandbox;
	/** What the user should know before the run starts, a line each. */
	readonly notices: readonly string[];
}

/** Nothing is changed. Throws AgentreeError("usage") when a sandbox is required, or needed for what is asked, and there can be none. */
export function lookAtSandbox(request: SandboxRequest, host: SandboxHost): SandboxLook {
	const wanted = wantedSandbox(request, host);
	if (wanted.is === "off") return { found: wanted, notices: [] };
	const { env, uid, worktree } = host;
	const { mode, wish } = wanted;
	const probed = rememberedProbe(env, join(host.home, "sandbox-probe"));
	if (probed.is === "none") {
		const needed = whyNeeded(wish, host.before);
		if (needed !== undefined) throw new AgentreeError("usage", `no sandbox: ${probed.reason}; ${needed}`);
		const without = `no sandbox: ${probed.reason}; agents can do anything you can (--sandbox off hides this line)`;
		return { found: probed, notices: [without] };
	}
	const { program } = probed;
	const runProject = projectOfRun(request.cwd, { env, worktree });
	const git = mode === "workspace" || wish.allowWrite !== undefined ? gitOfRun(runProject, env) : NO_GIT;
	const own = ownPlacesOf(request, host);
	const found = { is: "some", program, mode, wish, facts: factsOf(host, { mode, runProject, git, own }) } as const;
	const network = networkAsked({ ...(host.before?.is === "some" && { network: host.before.was.network }), ...wish });
	return {
		found: { ...found, lookAt: lookAtPlace },
		notices: [
			...placeNotices(request.sandbox ?? {}, own),
			...desktopSockets(network),
			...(mode === "workspace" ? writtenPlaces(runProject.project, request.sandbox ?? {}, { program, uid }) : []),
			...(mode === "workspace" ? git.notices : []),
		],
	};
}

/**
 * Makes those of agentree's own directories that commands in this sandbox could make: a mount that protects one needs something to
 * stand on. Then looks again.
 */
export function withOwnDirectories(
	look: SandboxLook,
	request: SandboxRequest & { readonly sandbox?: SandboxWish | undefined },
	host: SandboxHost,
): SandboxLook {
	const { found } = look;
	if (found.is !== "some") return look;
	const { configuration, directories } = found.facts.own;
	const absent = [...(configuration === undefined ? [] : [configuration]), ...directories].filter(
		(path) => !existsSync(path),
	);
	if (absent.length === 0) return look;
	const confinement = planSandbox(found, request.sandbox, host.before).sandbox?.confinement as Confinement;
	const missing = absent.filter((path) => accessTo(directoryAbove(path), confinement.mounts) === "write");
	for (const path of missing) makePrivateDirectory(path);
	return missing.length === 0 ? look : lookAtSandbox(request, host);
}

function directoryAbove(path: string): string {
	return lookAtPlace(dirname(path))?.path ?? directoryAbove(dirname(path));
}

/** The project of a run. Paths are without links. */
interface RunProject {
	readonly project: Project;
	/** The directories of its repository. */
	readonly repository: readonly string[];
	/** The user's home directories. */
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

/** `named`: by whoever starts the run; but where it lies in the project, its own files may come from an agent. */
function repositoriesOf({ top, repository }: Project, named: Repository | undefined): string[] {
	const [directory, common] = [named?.directory, named?.common].map((path) => lookAtPlace(path ?? "")?.path);
	const isMixed = directory && common && isAtOrBelow(directory, top) && !isAtOrBelow(common, top);
	const places = isMixed ? [] : [directory, common].flatMap((path) => path ?? []);
	return [...new Set([...(repository === undefined ? [] : ownRepository({ top, repository })), ...places])];
}

const NO_GIT: GitPlaces = { kept: [], pointers: [], toCome: [], notices: [] };

function gitOfRun({ project, repository, homes }: RunProject, env: Environment): GitPlaces {
	const { top, repository: found } = project;
	if (top === "/") return NO_GIT; // nothing in it can be written
	const foreign = found && foreignRepository({ top, repository: found });
	const own = [...repository, ...(foreign === undefined ? [] : [foreign])];
	return gitPlaces({ top, own, configurations: configurationsOf(env, homes), homes });
}

interface Looked {
	readonly mode: Confinement["mode"];
	readonly runProject: RunProject;
	readonly git: GitPlaces;
	readonly own: OwnPlaces;
}

function factsOf(host: SandboxHost, { mode, runProject, git, own }: Looked): ConfinementFacts {
	const { env, uid, agentProgram, worktree } = host;
	const { project, repository, homes } = runProject;
	const { start, top } = project;
	const isTree = repository.length > 0 && !repository.includes(top) && project.homes.length === 0;
	const isWritten = mode === "workspace" && worktree === undefined;
	const made = isTree && isWritten ? placeholdersIn(top) : [];
	const toCome: Place[] = [...git.toCome, ...made.map((path) => ({ path, is: "directory" }) as const)];
	const programs = programPlaces(env, start, agentProgram);
	return {
		...{ cwd: start, top, repository, uid, homes },
		lookAt: lookOnce((path) => lookAtPlace(path) ?? toCome.find((place) => place.path === path)),
		isTopReadOnly: worktree !== undefined,
		secret: [...secretsNamedBy(env), ...movedSecrets(SECRET_PLACES, env)],
		...{ own, ownLinked: linkedSkills(own.configuration), inHome: project.homes.flatMap(hiddenFilesOf) },
		...{ made, programs, caches: cachePlaces(env, homes) },
		kept: [...git.kept, ...programs],
		pointers: git.pointers,
	};
}

/** A confinement is made of some hundred places, and may be made twice of the same facts. */
function lookOnce(look: ConfinementFacts["lookAt"]): ConfinementFacts["lookAt"] {
	const seen = new Map<string, Place | undefined>();
	return (path) => {
		if (!seen.has(path)) seen.set(path, look(path));
		return seen.get(path);
	};
}

function ownPlacesOf({ cwd, envFile, credentialsFile }: SandboxRequest, { env, uid, home }: SandboxHost): OwnPlaces {
	return ownPlaces({ ...{ env, uid, cwd, home }, homes: personOf(env).homes, keyFiles: [envFile, credentialsFile] });
}

/** Sandboxed commands have their own. */
const IS_OTHER = /^(\/var)?\/tmp$/;

/** About the places that the user has named. */
function placeNotices({ allowWrite = [], allowRead = [], denyRead = [] }: SandboxWish, own: OwnPlaces): string[] {
	const missing = (paths: readonly string[]) => paths.filter((path) => lookAtPlace(path) === undefined);
	const pathOf = (path: string) => lookAtPlace(path)?.path ?? path;
	const keys = own.files.map(pathOf);
	return [
		...missing(allowWrite).map((path) => `${path} does not exist, so it is not made writable`),
		...missing(allowRead).map((path) => `${path} does not exist, so it is not shown`),
		...allowRead
			.filter((path) => IS_OTHER.test(path))
			.map((path) => `commands have their own ${path}: use --allow-read for the paths in it`),
		...missing(denyRead).map((path) => `${path} does not exist, so it is not hidden`),
		...allowWrite
			.filter((path) => isOwn(pathOf(path), own) || keys.includes(pathOf(path)))
			.map((path) => `${path} belongs to agentree itself, so it is not made writable`),
		...allowRead
			.filter((path) => keys.includes(pathOf(path)))
			.map((path) => `${path} may contain agentree's keys, so it is not shown`),
	];
}

/** About the places that commands can write to. */
function writtenPlaces(
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
	const leads = `${top}/.git points to ${foreign}, which may be the repository of another work tree`;
	return [`${leads}: commands can read it, but git cannot write there; to allow that: --allow-write ${foreign}`];
}

function openHomes({ top, homes }: Project): string[] {
	if (top === "/") return []; // nothing is written there
	return homes
		.filter((home) => hiddenNamesIn(home).some((name) => ![".config", ".local"].includes(name))) // agentree makes these two
		.map((home) => `${home} is a home directory, not a project: commands can write there, except to its hidden files`);
}
