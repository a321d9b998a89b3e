/** `sandbox` in the user's configuration file: what a run's sandbox is like where neither flags nor variables say it. */
import { defined } from "../core/defined.ts";
import { NETWORKS, SANDBOX_MODES, type SandboxWish } from "../core/sandbox.ts";
import type { Located } from "./user-files/located-yaml.ts";

const WORDS = [...SANDBOX_MODES, "required"] as const;

/** Paths are as they are written. Undefined for no such key, and for an empty one. */
export function parseSandbox(written: Located | undefined): SandboxWish | undefined {
	if (written === undefined || written.data() === null) return undefined;
	const { mode, allow_write, allow_read, deny_read, net, allow_hosts } = written.map([
		...["mode", "allow_write", "allow_read", "deny_read", "net", "allow_hosts"],
	]);
	const word = oneOf(mode, WORDS);
	const allowHosts = textsOf(allow_hosts);
	return defined({
		mode: word === "required" ? ("workspace" as const) : word,
		isRequired: word === "required" ? (true as const) : undefined,
		allowWrite: textsOf(allow_write),
		...{ allowRead: textsOf(allow_read), denyRead: textsOf(deny_read) },
		network: oneOf(net, NETWORKS) ?? (allowHosts === undefined ? undefined : ("proxy" as const)),
		allowHosts,
	});
}

function oneOf<const T extends string>(written: Located | undefined, known: readonly T[]): T | undefined {
	if (written === undefined) return undefined;
	const text = written.string();
	return known.find((word) => word === text) ?? written.fail(`one of ${known.join(", ")} is expected here`);
}

function textsOf(written: Located | undefined): readonly string[] | undefined {
	return written?.list().map((each) => each.string().trim() || each.fail("a text is expected here"));
}
