/** What holds of a sandbox on this machine: each thing is tried by bubblewrap itself. */
import { spawnSync } from "node:child_process";
import { TRIAL_MS, TRIED_NAMESPACES, TRIED_PLACES } from "./probe.ts";
import { seccompFilter } from "./seccomp-filter.ts";

export interface SandboxTrial {
	readonly version: string;
	/** What does not hold, with what follows from it. */
	readonly problems: readonly string[];
}

/** As the sandbox of a child agent of root is made: bubblewrap-args.ts. */
const SHARED = ["--unshare-user", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL", "--ro-bind", "/", "/"];

/** `program`: bwrap. `noNsenter`: that it is missing, in words. */
export function trySandbox(
	program: string,
	{ isRoot, architecture, noNsenter }: { isRoot: boolean; architecture: string; noNsenter?: string | undefined },
): SandboxTrial {
	const works = (...args: string[]) => spawnSync(program, args, { stdio: "ignore", timeout: TRIAL_MS }).status === 0;
	const inner = isRoot
		? [...SHARED, "--bind", "/proc", "/proc", "true"]
		: [...TRIED_NAMESPACES, ...TRIED_PLACES, "true"];
	const nests = works(
		...TRIED_NAMESPACES,
		...(isRoot ? ["--cap-add", "CAP_SETFCAP"] : []),
		...TRIED_PLACES,
		program,
		...inner,
	);
	const isolates = works(...TRIED_NAMESPACES, "--unshare-net", ...TRIED_PLACES, "true");
	const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8", timeout: TRIAL_MS });
	return {
		version: /\d+\.\d+(\.\d+)?/.exec(stdout ?? "")?.[0] ?? "",
		problems: [
			...(nests ? [] : ["none can be made in another: child agents cannot start commands"]),
			...(noNsenter === undefined ? [] : [`${noNsenter}: --net none and --net proxy cannot be had`]),
			...(isolates ? [] : ["--net none cannot be had: no network namespace can be made"]),
			...(seccompFilter(architecture) === undefined
				? [`system calls are not filtered on ${architecture}: keys of the session and control groups are within reach`]
				: []),
		],
	};
}
