/** What a run asks of its sandbox, by flags and variables, and what the user's configuration file says of every run's. Pure. */
import { resolve } from "node:path";
import { defined } from "../../core/defined.ts";
import { isAtOrBelow } from "../../core/machine/at-or-below.ts";
import type { SandboxWish } from "../../core/machine/sandbox.ts";
import { withHome } from "./home-directory.ts";

/**
 * Flags and variables go before the file; its directories and paths are added to theirs. Paths of the file are written as in a
 * shell. Without a `mode` nobody says whether there is to be a sandbox.
 */
export function withConfiguredSandbox(
	asked: SandboxWish | undefined,
	configured: SandboxWish | undefined,
	{ cwd, home }: { readonly cwd: string; readonly home: string | undefined },
): SandboxWish | undefined {
	if (configured === undefined) return asked;
	const mode = asked?.mode ?? (configured.mode === "off" && asked !== undefined ? undefined : configured.mode);
	if (mode === "off") return { mode };
	const isRequired = asked?.mode === undefined ? configured.isRequired : undefined;
	const paths = (written: readonly string[] = []) => written.map((path) => resolve(cwd, withHome(path, home)));
	const both = (one: readonly string[] = [], other: readonly string[] = []) => {
		const all = [...one, ...other];
		return all.length === 0 ? undefined : all;
	};
	return defined({
		mode,
		isRequired: asked?.isRequired ?? isRequired,
		allowWrite: both(asked?.allowWrite, paths(configured.allowWrite)),
		allowRead: both(asked?.allowRead, without(paths(configured.allowRead), asked?.denyRead)),
		denyRead: both(asked?.denyRead, without(paths(configured.denyRead), asked?.allowRead)),
		...(asked?.network === undefined
			? { network: configured.network, allowHosts: configured.allowHosts }
			: { network: asked.network, allowHosts: asked.allowHosts }),
	});
}

/** What the file says of the same place, or of what lies in it. */
function without(configured: readonly string[], contrary: readonly string[] = []): readonly string[] {
	return configured.filter((path) => !contrary.some((other) => isAtOrBelow(path, other)));
}
