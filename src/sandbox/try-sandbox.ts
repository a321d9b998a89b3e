/** What holds of a sandbox on this machine: each thing is tried by bubblewrap itself. */
import { LAYER_CAPABILITIES, LAYER_ENVIRONMENT } from "./layers.ts";
import { TRIAL_MS, TRIED_COMMAND, TRIED_NAMESPACES, TRIED_PLACES } from "./probe.ts";
import { seccompFilter } from "./seccomp-filter.ts";

export interface SandboxTrial {
	readonly version: string;
	/** What does not hold, with what follows from it. */
	readonly problems: readonly string[];
}

/** As the sandbox of a child agent of root is made: bubblewrap-args.ts. */
const SHARED = ["--unshare-user", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL", "--ro-bind", "/", "/"];

const OVERLAY = `PATH=${LAYER_ENVIRONMENT.PATH}; cd /tmp && mount -t tmpfs tmpfs . && cd /tmp && mkdir a b && mount -t overlay overlay -o lowerdir=a:b,userxattr a`;

const NO_LAYERS = "later sockets in the home directory can be reached, and caches are read-only";

/** `program`: bwrap. `noNsenter`: that it is missing, in words. */
export async function trySandbox(
	program: string,
	{ isRoot, architecture, noNsenter }: { isRoot: boolean; architecture: string; noNsenter?: string | undefined },
): Promise<SandboxTrial> {
	const { execa } = await import("execa");
	const run = (...args: string[]) => execa(program, args, { reject: false, stdin: "ignore", timeout: TRIAL_MS });
	const works = async (...args: string[]) => (await run(...args)).exitCode === 0;
	const inner = isRoot
		? [...SHARED, "--bind", "/proc", "/proc", ...TRIED_COMMAND]
		: [...TRIED_NAMESPACES, ...TRIED_PLACES, ...TRIED_COMMAND];
	const nests = await works(
		...TRIED_NAMESPACES,
		...(isRoot ? ["--cap-add", "CAP_SETFCAP"] : []),
		...TRIED_PLACES,
		program,
		...inner,
	);
	const layers = await works(
		"--unshare-user",
		...LAYER_CAPABILITIES,
		"--dev-bind",
		"/",
		"/",
		"--",
		"/bin/sh",
		"-c",
		OVERLAY,
	);
	const isolates = await works(...TRIED_NAMESPACES, "--unshare-net", ...TRIED_PLACES, ...TRIED_COMMAND);
	const { stdout = "" } = await run("--version");
	return {
		version: /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? "",
		problems: [
			...(nests ? [] : ["sandboxes cannot be nested: child agents cannot start commands"]),
			...(noNsenter === undefined ? [] : [`${noNsenter}: --net none and --net proxy are unavailable, ${NO_LAYERS}`]),
			...(isolates ? [] : ["--net none is unavailable: network namespaces cannot be created"]),
			...(layers ? [] : [`overlays cannot be mounted: ${NO_LAYERS}`]),
			...(seccompFilter(architecture) === undefined
				? [`system calls are not filtered on ${architecture}: keys of the session and control groups are within reach`]
				: []),
		],
	};
}
