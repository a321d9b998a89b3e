/** The sandbox of a run: `workspace` unless something else is asked for, where one can be had. */

import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { AskingRequest } from "../../config/asking-options.ts";
import { homeDirectory, homeOfUser } from "../../config/home-directory.ts";
import { withConfiguredSandbox } from "../../config/with-configured-sandbox.ts";
import { isAtOrBelow } from "../../core/at-or-below.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { Confinement, Mount, SandboxMode, SandboxWish } from "../../core/sandbox.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { cachePlaces } from "../../sandbox/caches.ts";
import { type ConfinementFacts, confinementOf } from "../../sandbox/confinement-of.ts";
import { fillRepository, keptByConfiguration, keptInRepository } from "../../sandbox/git-places.ts";
import { lookAtPlace } from "../../sandbox/look-at-places.ts";
import { movedSecrets, programPlaces, secretsNamedBy } from "../../sandbox/named-places.ts";
import { makePlaceholders, placeholdersIn } from "../../sandbox/placeholders.ts";
import { SECRET_PLACES } from "../../sandbox/places.ts";
import { probeSandbox } from "../../sandbox/probe.ts";
import { socketPlaces } from "../../sandbox/socket-places.ts";
import type { RunSettings } from "../../supervisor/run-settings.ts";
import { complain } from "../../terminal/print.ts";
import { bareRepositoryAt, repositoryAround } from "../../worktree/find-tree.ts";
import { ownRepository } from "../../worktree/own-repository.ts";

/** Of the user, below the home directory. */
const GIT_CONFIGURATIONS = [".gitconfig", ".config/git/config"];
const DEFAULT_MODE = "workspace";

interface SandboxRequest {
	readonly sandbox?: SandboxWish | undefined;
	readonly asking?: Pick<AskingRequest, "skipsPermissions">;
	readonly cwd: string;
	readonly isQuiet: boolean;
}

interface Host {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
	readonly agentProgram: string;
	/** The mode that the run's role has. */
	readonly roleMode?: SandboxMode | undefined;
	/** What the user's configuration file says. */
	readonly configured?: SandboxWish | undefined;
	/** That of a run that goes on, which holds when nothing is asked for. */
	readonly before?: FormerSandbox | undefined;
	/** In which the root works, in place of the project: that it need not write. */
	readonly worktree?: OwnWorktree | undefined;
}

/** `unknown`: its files do not tell any more. */
export type FormerSandbox =
	| { readonly is: "unknown" }
	| { readonly is: "none" }
	| { readonly is: "some"; readonly was: Confinement };

/** What is decided before anything is looked for on the disk. */
type Found =
	| { readonly is: "off" }
	/** `reason`: with what would help. */
	| { readonly is: "none"; readonly reason: string }
	| { readonly is: "some"; readonly program: string; readonly mode: Confinement["mode"]; readonly wish: SandboxWish };

/** Throws AgentreeError("usage") when one is required, or what is asked for needs one, and none can be had. */
export function sandboxOfRun(request: SandboxRequest, host: Host): Pick<RunSettings, "sandbox" | "noSandbox"> {
	const found = findSandbox(request, host);
	if (!request.isQuiet) for (const words of noticesOf(found, request)) complain(`agent: ${words}`);
	switch (found.is) {
		case "off":
			return {};
		case "none":
			return { noSandbox: found.reason };
		case "some":
			return { sandbox: { program: found.program, confinement: confine(found, request.cwd, host) } };
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
	return { ...(found.is === "some" && { mode: found.mode }), notices: noticesOf(found, request) };
}

/** Of what is not there: the file of all runs names what only some projects have. */
function noticesOf(found: Found, { sandbox: asked = {} }: SandboxRequest): string[] {
	switch (found.is) {
		case "off":
			return [];
		case "none":
			return [withoutSandbox(found.reason)];
		case "some":
			return missingPlaces(asked);
	}
}

function withoutSandbox(reason: string): string {
	return `no sandbox: ${reason}; agents may do what you may (--sandbox off: without this line)`;
}

function findSandbox({ sandbox: asked, asking, cwd }: SandboxRequest, host: Host): Found {
	if (asking?.skipsPermissions) return { is: "off" };
	const { env, before, configured, roleMode } = host;
	const wish = withConfiguredSandbox(asked, configured, { cwd, home: homeDirectory(env) }) ?? {};
	const wished = wish.mode ?? (Object.keys(wish).length === 0 ? formerMode(before) : undefined) ?? DEFAULT_MODE;
	if (wished === "off") return { is: "off" };
	const probed = probeSandbox(env);
	if (probed.is === "found") {
		const mode = roleMode === "read-only" ? roleMode : wished;
		return { is: "some", program: probed.program, mode, wish };
	}
	const needing = needs(wish, before);
	if (needing === undefined) return { is: "none", reason: probed.reason };
	throw new AgentreeError("usage", `no sandbox: ${probed.reason}; ${needing}`);
}

function formerMode(before: FormerSandbox | undefined): SandboxMode | undefined {
	if (before === undefined || before.is === "unknown") return undefined;
	return before.is === "some" ? before.was.mode : "off";
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

function confine({ mode, wish }: Found & { is: "some" }, cwd: string, host: Host): Confinement {
	const former = host.before?.is === "some" ? host.before.was : undefined;
	if (former === undefined) return confinementOf({ ...wish, mode }, factsOf(cwd, host, mode));
	if (Object.keys(wish).length > 0) {
		const before = { network: former.network, allowHosts: former.hosts };
		const asked = confinementOf({ ...before, ...wish, mode }, factsOf(cwd, host, mode));
		return { ...asked, mounts: [...asked.mounts, ...stillHidden(former, wish)] };
	}
	for (const { path } of former.mounts) if (basename(path) === "commondir") fillRepository(dirname(path));
	makePlaceholders(former.mounts.flatMap(({ path, isMade }) => (isMade ? [path] : [])));
	return { ...former, mounts: former.mounts.filter(isThere) };
}

/** What was hidden stays so, unless a person names it. */
function stillHidden({ mounts }: Confinement, { allowWrite = [] }: SandboxWish): Mount[] {
	const hidden = mounts.filter(({ as }) => as.startsWith("hidden"));
	return hidden.filter(({ path }) => !allowWrite.some((wished) => isAtOrBelow(wished, path))).filter(isThere);
}

/** A mount on what has gone meanwhile would keep every command from its start. */
function isThere({ path }: Mount): boolean {
	return lookAtPlace(path) !== undefined;
}

function missingPlaces({ allowWrite = [], denyRead = [] }: SandboxWish): string[] {
	const missing = (paths: readonly string[]) => paths.filter((path) => lookAtPlace(path) === undefined);
	return [
		...missing(allowWrite).map((path) => `${path} is not there, so it is not made writable`),
		...missing(denyRead).map((path) => `${path} is not there, so it is not hidden`),
	];
}

function factsOf(cwd: string, { env, uid, agentProgram, worktree }: Host, mode: SandboxMode): ConfinementFacts {
	const start = realpathSync(cwd);
	const found = repositoryAround(start) ?? bareRepositoryAt(start);
	const top = found?.top ?? start;
	const repository = found === undefined ? [] : ownRepository(found);
	if (mode === "workspace") for (const directory of repository) fillRepository(directory);
	const homes = [homeDirectory(env), homeOfUser()].flatMap((home) => lookAtPlace(home ?? "")?.path ?? []);
	const isTree = repository.length > 0 && !repository.includes(top) && !homes.some((home) => isAtOrBelow(home, top));
	const isWritten = mode === "workspace" && worktree === undefined;
	const made = isTree && isWritten ? makePlaceholders(placeholdersIn(top)) : [];
	const isOfProject = (path: string) => isAtOrBelow(path, top);
	const ofUser = homes.flatMap((home) => GIT_CONFIGURATIONS.map((name) => `${home}/${name}`));
	return {
		...{ cwd: start, top, repository, uid, lookAt: lookAtPlace, homes: [...new Set(homes)] },
		isTopReadOnly: worktree !== undefined,
		secret: [...secretsNamedBy(env), ...movedSecrets(SECRET_PLACES, env), ...socketPlaces(isOfProject)],
		...{ made, caches: cachePlaces(env, homes) },
		kept: [
			...keptInRepository(repository),
			...keptByConfiguration([...repository.map((path) => `${path}/config`), ...ofUser], top),
			...programPlaces(env, start, agentProgram),
		],
	};
}
