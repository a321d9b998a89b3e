/** What `agent doctor` says of the sandbox: one is tried. */
import { findNsenter, NO_NSENTER } from "../../sandbox/find-nsenter.ts";
import { othersPlaces } from "../../sandbox/others-places.ts";
import { probeSandbox } from "../../sandbox/probe.ts";
import { desktopSockets } from "../../sandbox/socket-places.ts";
import { trySandbox } from "../../sandbox/try-sandbox.ts";
import type { Check } from "./check-services.ts";
import { projectOfRun } from "./git-of-run.ts";

export async function checkSandbox({
	env,
	uid,
	...place
}: {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
	readonly cwd: string;
	readonly cwdProblem?: string | undefined;
}): Promise<Check> {
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
	const { version, problems } = await trySandbox(probed.program, { isRoot, architecture: process.arch, noNsenter });
	const { top, start } = place.cwdProblem === undefined ? projectOfRun(place.cwd, { env }).project : {};
	const places = othersPlaces(
		[top, start].flatMap((path) => path ?? []),
		{ program: probed.program, uid },
	);
	const found = [...problems, ...places, ...desktopSockets("host")];
	if (found.length > 0) return { result: "warn", what, detail: `bubblewrap ${version}: ${found.join("; ")}` };
	const asRoot = isRoot ? "; as root child agents can signal one another" : "";
	return { result: "ok", what, detail: `bubblewrap ${version}, also one in another and without a network${asRoot}` };
}
