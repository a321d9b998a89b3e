/** The sandbox of a run: what was asked for, where it can be had. */

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { homeDirectory } from "../../config/home-directory.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { Confinement, SandboxWish } from "../../core/sandbox.ts";
import { confinementOf } from "../../sandbox/confinement-of.ts";
import { lookAtPlace } from "../../sandbox/look-at-places.ts";
import { probeSandbox } from "../../sandbox/probe.ts";
import type { RunSettings } from "../../supervisor/run-settings.ts";
import { complain } from "../../terminal/print.ts";
import { repositoryAround } from "../../worktree/find-tree.ts";
import { ownRepository } from "../../worktree/own-repository.ts";

const DEFAULT_MODE = "off";

interface SandboxRequest {
	readonly sandbox?: SandboxWish | undefined;
	readonly cwd: string;
	readonly isQuiet: boolean;
}

/**
 * `before`: that of a run that goes on, which holds when nothing is asked for. Throws AgentreeError("usage") when one is required
 * and cannot be had.
 */
export function sandboxOfRun(
	{ sandbox: wish = {}, cwd, isQuiet }: SandboxRequest,
	{
		env,
		uid,
		before,
	}: { env: Readonly<Record<string, string | undefined>>; uid: number; before?: Confinement | undefined },
): Pick<RunSettings, "sandbox"> {
	const mode = wish.mode ?? before?.mode ?? (Object.keys(wish).length === 0 ? DEFAULT_MODE : "workspace");
	if (mode === "off") return {};
	if (wish.network === "proxy")
		throw new AgentreeError(
			"usage",
			"--net proxy: there is no proxy yet; --net none has no network, --net host all of it",
		);
	const probed = probeSandbox(env);
	if (probed.is === "none") {
		const words = `no sandbox: ${probed.reason}`;
		if (wish.isRequired) throw new AgentreeError("usage", `${words}; --sandbox required refuses to start without one`);
		if (!isQuiet) complain(`agent: ${words}; agents may do what you may`);
		return {};
	}
	const isAsBefore = before !== undefined && Object.keys(wish).length === 0;
	const confinement = isAsBefore ? before : confinementOf({ ...wish, mode }, factsOf(cwd, env, uid));
	return { sandbox: { program: probed.program, confinement } };
}

function factsOf(cwd: string, env: Readonly<Record<string, string | undefined>>, uid: number) {
	const start = realpathSync(cwd);
	const found = repositoryAround(start);
	const repository = found === undefined ? [] : ownRepository(found);
	return {
		...{ cwd: start, top: found?.top ?? start, repository, uid, lookAt: lookAtPlace },
		home: lookAtPlace(homeDirectory(env) ?? homedir())?.path,
	};
}
