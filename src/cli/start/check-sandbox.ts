/** What `agent doctor` says of the sandbox: one is tried. */
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
		return { result: "warn", what, detail: `${probed.reason}; --sandbox cannot be had without it` };
	const isRoot = uid === 0;
	const { version, problems } = trySandbox(probed.program, { isRoot, architecture: process.arch });
	if (problems.length > 0) return { result: "warn", what, detail: `bubblewrap ${version}: ${problems.join("; ")}` };
	const asRoot = isRoot ? "; as root child agents can signal one another" : "";
	return { result: "ok", what, detail: `bubblewrap ${version}, also one in another and without a network${asRoot}` };
}
