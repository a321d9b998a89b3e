/** What `agent doctor` says of the sandbox: one is tried. */
import { findNsenter, NO_NSENTER } from "../../agent/network/find-nsenter.ts";
import { probeSandbox } from "../../sandbox/probe.ts";
import { trySandbox } from "../../sandbox/try-sandbox.ts";
import type { Check } from "./check-services.ts";

export function checkSandbox({
	env,
	uid,
}: {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
}): Check {
	const what = "sandbox";
	const probed = probeSandbox(env);
	if (probed.is === "none")
		return {
			result: "warn",
			what,
			detail: `${probed.reason}; runs start without a sandbox, and agents may do what you may`,
		};
	const isRoot = uid === 0;
	const noNsenter = findNsenter() === undefined ? NO_NSENTER : undefined;
	const { version, problems } = trySandbox(probed.program, { isRoot, architecture: process.arch, noNsenter });
	if (problems.length > 0) return { result: "warn", what, detail: `bubblewrap ${version}: ${problems.join("; ")}` };
	const asRoot = isRoot ? "; as root child agents can signal one another" : "";
	return { result: "ok", what, detail: `bubblewrap ${version}, also one in another and without a network${asRoot}` };
}
