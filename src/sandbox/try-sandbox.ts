/** What holds of a sandbox on this machine: each thing is tried by bubblewrap itself. */
import { spawnSync } from "node:child_process";
import { seccompFilter } from "./seccomp-filter.ts";

export interface SandboxTrial {
	readonly version: string;
	/** What does not hold, with what follows from it. */
	readonly problems: readonly string[];
}

const TRIAL_MS = 5_000;
const NAMESPACES = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"];
const PLACES = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
/** As the sandbox of a child agent of root is made: bubblewrap-args.ts. */
const SHARED = ["--unshare-user", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL", "--ro-bind", "/", "/"];

/** `program`: bwrap. */
export function trySandbox(
	program: string,
	{ isRoot, architecture }: { isRoot: boolean; architecture: string },
): SandboxTrial {
	const works = (...args: string[]) => spawnSync(program, args, { stdio: "ignore", timeout: TRIAL_MS }).status === 0;
	const inner = isRoot ? [...SHARED, "--bind", "/proc", "/proc", "true"] : [...NAMESPACES, ...PLACES, "true"];
	const nests = works(...NAMESPACES, ...(isRoot ? ["--cap-add", "CAP_SETFCAP"] : []), ...PLACES, program, ...inner);
	const isolates = works(...NAMESPACES, "--unshare-net", ...PLACES, "true");
	const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8", timeout: TRIAL_MS });
	return {
		version: /\d+\.\d+(\.\d+)?/.exec(stdout ?? "")?.[0] ?? "",
		problems: [
			...(nests ? [] : ["none can be made in another: child agents cannot start commands"]),
			...(isolates ? [] : ["--net none cannot be had: no network namespace can be made"]),
			...(seccompFilter(architecture) === undefined
				? [`system calls are not filtered on ${architecture}: keys of the session and control groups are within reach`]
				: []),
		],
	};
}
