/** The sandbox of a run: `workspace` unless something else is asked for, where one can be had. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { isAtOrBelow } from "../../core/machine/at-or-below.ts";
import {
	accessTo,
	type Confinement,
	type Mount,
	type SandboxMode,
	type SandboxWish,
} from "../../core/machine/sandbox.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import type { AskingRequest } from "../../project/config/asking-options.ts";
import { homeDirectory } from "../../project/config/home-directory.ts";
import { withConfiguredSandbox } from "../../project/config/with-configured-sandbox.ts";
import { foreignRepository } from "../../project/files/own-repository.ts";
import { personOf } from "../../project/person.ts";
import type { Project } from "../../project/project-of.ts";
import { makePrivateDirectory } from "../../record/files/private-files.ts";
import { confinementOf, networkAsked } from "../../sandbox/confinement-of.ts";
import { configuredAgain, joined, wishAgain, withGrants } from "../../sandbox/going-on.ts";
import { hiddenNamesIn, lookAtPlace } from "../../sandbox/look-at-places.ts";
import { othersPlaces } from "../../sandbox/others-places.ts";
import { isOwn, type OwnPlaces, ownPlaces } from "../../sandbox/own-places.ts";
import { probeSandbox } from "../../sandbox/probe.ts";
import { desktopSockets } from "../../sandbox/socket-places.ts";
import type { RunSettings } from "../../supervisor/run-settings.ts";
import { complain } from "../../terminal/print.ts";
import { gitOfRun, NO_GIT, projectOfRun } from "./git-of-run.ts";
import { factsOf, type Wished } from "./sandbox-facts.ts";

const DEFAULT_MODE = "workspace";

interface SandboxRequest {
	readonly sandbox?: SandboxWish | undefined;
	readonly asking?: Pick<AskingRequest, "skipsPermissions">;
	readonly cwd: string;
	readonly isQuiet: boolean;
	readonly envFile?: string | undefined;
	readonly credentialsFile?: string | undefined;
}

interface Host {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
	/** The state directory. */
	readonly home: string;
	readonly agentProgram: string;
	/** The mode that the run's role has. */
	readonly roleMode?: SandboxMode | undefined;
	/** What the user's configuration file says. */
	readonly configured?: SandboxWish | undefined;
	/** That of a run that goes on. */
	readonly before?: FormerSandbox | undefined;
	/** In which the root works, in place of the project: that it need not write. */
	readonly worktree?: OwnWorktree | undefined;
}

/** `unknown`: its files do not tell any more. */
export type FormerSandbox =
	| { readonly is: "unknown" }
	| { readonly is: "none" }
	| { readonly is: "some"; readonly was: Confinement };

/** What is decided before the confinement is made. */
type Found =
	| { readonly is: "off" }
	/** `reason`: with what would help. */
	| { readonly is: "none"; readonly reason: string }
	| (Wished & { readonly is: "some"; readonly program: string });

/** Throws AgentreeError("usage") when one is required, or what is asked for needs one, and none can be had. */
export function sandboxOfRun(request: SandboxRequest, host: Host): Pick<RunSettings, "sandbox" | "noSandbox"> {
	const found = findSandbox(request, host);
	if (!request.isQuiet) for (const words of noticesOf(found, request, host)) complain(`agent: ${words}`);
	switch (found.is) {
		case "off":
			return {};
		case "none":
			return { noSandbox: found.reason };
		case "some":
			return { sandbox: { program: found.program, confinement: confine(found, request.sandbox ?? {}, host) } };
	}
}

export interface SandboxToBe {
	/** Absent: the run will be in none. */
	readonly mode?: Confinement["mode"];
	/** Why it is in no sandbox that nobody has turned off, what is not there. */
	readonly notices: readonly string[];
}

/** What a person has to know before a run starts. Throws as `sandboxOfRun`. */
export function sandboxToBe(request: SandboxRequest, host: Host): SandboxToBe {
	const found = findSandbox(request, host);
	return { ...(found.is === "some" && { mode: found.mode }), notices: noticesOf(found, request, host) };
}

/** Of what is not there: the file of all runs names what only some projects have. */
function noticesOf(found: Found, request: SandboxRequest, host: Host): string[] {
	const { sandbox: asked = {} } = request;
	switch (found.is) {
		case "off":
			return [];
		case "none":
			return [withoutSandbox(found.reason)];
		case "some":
			return [
				...missingPlaces(asked),
				...ownPlacesNamed(asked, found.own),
				...desktopSockets(
					networkAsked({ ...(host.before?.is === "some" && { network: host.before.was.network }), ...found.wish }),
				),
				...(found.mode === "workspace"
					? [
							...writtenPlaces(found.runProject.project, asked, { program: found.program, uid: host.uid }),
							...found.git.notices,
						]
					: []),
			];
	}
}

function withoutSandbox(reason: string): string {
	return `no sandbox: ${reason}; agents may do what you may (--sandbox off: without this line)`;
}

function findSandbox(request: SandboxRequest, host: Host): Found {
	const { sandbox: asked, asking, cwd } = request;
	if (asking?.skipsPermissions) return { is: "off" };
	const { env, before, configured, roleMode } = host;
	const former = before?.is === "some" ? before.was : undefined;
	const isKnown = before !== undefined && before.is !== "unknown";
	const today = configured && isKnown ? configuredAgain(configured, former) : configured;
	const wish = withConfiguredSandbox(asked, today, { cwd, home: homeDirectory(env) }) ?? {};
	const wished = wish.mode ?? former?.mode ?? (before?.is === "none" && asked === undefined ? "off" : DEFAULT_MODE);
	if (wished === "off") return { is: "off" };
	const probed = probeSandbox(env);
	if (probed.is === "found") {
		const mode = roleMode === "read-only" ? roleMode : wished;
		const runProject = projectOfRun(cwd, host);
		const git = mode === "workspace" || wish.allowWrite !== undefined ? gitOfRun(runProject, env) : NO_GIT;
		return { is: "some", program: probed.program, mode, wish, runProject, git, own: ownPlacesOf(request, host) };
	}
	const needing = needs(wish, before);
	if (needing === undefined) return { is: "none", reason: probed.reason };
	throw new AgentreeError("usage", `no sandbox: ${probed.reason}; ${needing}`);
}

/** Why a run without a sandbox would not be what was asked for. */
function needs(wish: SandboxWish, before: FormerSandbox | undefined): string | undefined {
	const { isRequired, mode, network, denyRead = [] } = wish;
	if (isRequired) return "--sandbox required refuses to start without one";
	const without = "give --sandbox off in its place to start without";
	if (network === "none" || network === "proxy") return `--net ${network} needs one: ${without}`;
	if (denyRead.length > 0) return `--deny-read needs one: ${without}`;
	if (mode === "read-only") return `--sandbox read-only needs one: ${without}`;
	return before?.is === "some" ? "the run was in one: give --sandbox off to go on without" : undefined;
}

function confine(wished: Wished, asked: SandboxWish, host: Host): Confinement {
	const { own, runProject } = wished;
	const { start } = runProject.project;
	if (isOwn(start, own)) throw ownDirectory(start);
	const confinement = confineFor(wished, asked, host);
	return makesOwn(own, confinement) ? confineFor(wished, asked, host) : confinement;
}

function confineFor(wished: Wished, asked: SandboxWish, host: Host): Confinement {
	const { mode, wish } = wished;
	const facts = factsOf(host, wished);
	const was = host.before?.is === "some" ? host.before.was : undefined;
	const again = was === undefined ? wish : wishAgain(asked, wish, was);
	const flagged = asked.allowWrite ?? was?.mounts.flatMap(({ path, isGranted }) => (isGranted ? [path] : [])) ?? [];
	const granted = flagged.flatMap((path) => lookAtPlace(path)?.path ?? []);
	const today = withGrants(confinementOf({ ...again, mode }, facts), granted);
	const isThere = ({ path }: Mount) => lookAtPlace(path) !== undefined;
	return was === undefined ? today : joined(today, was, { wish: again, isThere });
}

function ownPlacesOf({ cwd, envFile, credentialsFile }: SandboxRequest, { env, uid, home }: Host): OwnPlaces {
	return ownPlaces({ ...{ env, uid, cwd, home }, homes: personOf(env).homes, keyFiles: [envFile, credentialsFile] });
}

function ownDirectory(directory: string): AgentreeError {
	const why = `${directory} is agentree's own, where commands in a sandbox neither read nor write`;
	return new AgentreeError("usage", `${why}: start in another directory, or give --sandbox off`);
}

/** What of agentree's own is not there, where commands could make it: a mount needs something to stand on. */
function makesOwn({ configuration, directories }: OwnPlaces, { mounts }: Confinement): boolean {
	const all = configuration === undefined ? directories : [configuration, ...directories];
	const missing = all.filter((path) => !existsSync(path) && accessTo(directoryAbove(path), mounts) === "write");
	for (const path of missing) makePrivateDirectory(path);
	return missing.length > 0;
}

function directoryAbove(path: string): string {
	return lookAtPlace(dirname(path))?.path ?? directoryAbove(dirname(path));
}

/** What a person is told of the places of a sandbox before a run starts in it, a line each. */

/** Commands have one of their own. */
const IS_OTHER = /^(\/var)?\/tmp$/;

/** What a person has named. */
function missingPlaces({ allowWrite = [], allowRead = [], denyRead = [] }: SandboxWish): string[] {
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
function ownPlacesNamed({ allowWrite = [], allowRead = [] }: SandboxWish, own: OwnPlaces): string[] {
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
	const leads = `${top}/.git leads to ${foreign}, which may be the repository of another work tree`;
	return [`${leads}: commands can read it, and git cannot write there; --allow-write ${foreign} lets it`];
}

function openHomes({ top, homes }: Project): string[] {
	if (top === "/") return []; // nothing is written there
	return homes
		.filter((home) => hiddenNamesIn(home).some((name) => ![".config", ".local"].includes(name))) // agentree makes these two
		.map((home) => `${home} is a home directory and no project: commands can write there, but not to its hidden files`);
}
