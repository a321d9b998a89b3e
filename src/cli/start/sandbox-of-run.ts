/** The sandbox of a run: what was asked for, where it can be had. */

import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { AskingRequest } from "../../config/asking-options.ts";
import { homeDirectory, homeOfUser } from "../../config/home-directory.ts";
import { withConfiguredSandbox } from "../../config/with-configured-sandbox.ts";
import { isAtOrBelow } from "../../core/at-or-below.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { Confinement, SandboxMode, SandboxWish } from "../../core/sandbox.ts";
import { type ConfinementFacts, confinementOf } from "../../sandbox/confinement-of.ts";
import { fillRepository, keptByConfiguration, keptInRepository } from "../../sandbox/git-places.ts";
import { lookAtPlace } from "../../sandbox/look-at-places.ts";
import { movedSecrets, programPlaces, secretsNamedBy } from "../../sandbox/named-places.ts";
import { SECRET_PLACES } from "../../sandbox/places.ts";
import { probeSandbox } from "../../sandbox/probe.ts";
import { socketPlaces } from "../../sandbox/socket-places.ts";
import type { RunSettings } from "../../supervisor/run-settings.ts";
import { complain } from "../../terminal/print.ts";
import { repositoryAround } from "../../worktree/find-tree.ts";
import { ownRepository } from "../../worktree/own-repository.ts";

const DEFAULT_MODE = "off";

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
}

/**
 * `before`: that of a run that goes on, which holds when nothing is asked for. Throws AgentreeError("usage") when one is required
 * and cannot be had.
 */
export function sandboxOfRun(
	{ sandbox: asked, asking, cwd, isQuiet }: SandboxRequest,
	host: Host & { before?: Confinement | undefined },
): Pick<RunSettings, "sandbox"> {
	if (asking?.skipsPermissions) return {};
	const { env, before, configured } = host;
	const wish = withConfiguredSandbox(asked, configured, { cwd, home: homeDirectory(env) }) ?? {};
	const wished = wish.mode ?? before?.mode ?? (Object.keys(wish).length === 0 ? DEFAULT_MODE : "workspace");
	const mode = wished === "workspace" && host.roleMode === "read-only" ? "read-only" : wished;
	if (mode === "off") return {};
	const probed = probeSandbox(env);
	if (probed.is === "none") {
		const words = `no sandbox: ${probed.reason}`;
		if (wish.isRequired) throw new AgentreeError("usage", `${words}; --sandbox required refuses to start without one`);
		if (!isQuiet) complain(`agent: ${words}; agents may do what you may`);
		return {};
	}
	if (!isQuiet) for (const words of missingPlaces(wish)) complain(`agent: ${words}`);
	const isAsBefore = before !== undefined && Object.keys(wish).length === 0;
	const confinement = isAsBefore ? before : confinementOf({ ...wish, mode }, factsOf(cwd, host, mode));
	if (isAsBefore)
		for (const { path } of before.mounts) if (basename(path) === "commondir") fillRepository(dirname(path));
	return { sandbox: { program: probed.program, confinement } };
}

function missingPlaces({ allowWrite = [], denyRead = [] }: SandboxWish): string[] {
	const missing = (paths: readonly string[]) => paths.filter((path) => lookAtPlace(path) === undefined);
	return [
		...missing(allowWrite).map(
			(path) => `--allow-write ${path}: there is nothing of that name, so nothing is writable`,
		),
		...missing(denyRead).map((path) => `--deny-read ${path}: there is nothing of that name, so nothing is hidden`),
	];
}

function factsOf(cwd: string, { env, uid, agentProgram }: Host, mode: SandboxMode): ConfinementFacts {
	const start = realpathSync(cwd);
	const found = repositoryAround(start);
	const top = found?.top ?? start;
	const repository = found === undefined ? [] : ownRepository(found);
	if (mode === "workspace") for (const directory of repository) fillRepository(directory);
	const homes = [homeDirectory(env), homeOfUser()].flatMap((home) => lookAtPlace(home ?? "")?.path ?? []);
	const isOfProject = (path: string) => isAtOrBelow(path, top);
	return {
		...{ cwd: start, top, repository, uid, lookAt: lookAtPlace, homes: [...new Set(homes)] },
		secret: [...secretsNamedBy(env), ...movedSecrets(SECRET_PLACES, env), ...socketPlaces(isOfProject)],
		kept: [
			...keptInRepository(repository),
			...keptByConfiguration(repository, top),
			...programPlaces(env, start, agentProgram),
		],
	};
}
