/** Whether commands can be put into a sandbox here, and what holds of it on this machine: bubblewrap itself tries each. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { ifThere } from "../core/if-there.ts";
import { findProgram } from "../processes/child-process.ts";
import { replaceText } from "../record/files/private-files.ts";
import { readText } from "../record/files/regular-file.ts";
import { LAYER_CAPABILITIES, LAYER_ENVIRONMENT } from "./layers.ts";
import { wordsOf } from "./places.ts";
import { seccompFilter } from "./seccomp-filter.ts";

type Probed =
	| { readonly is: "found"; readonly program: string }
	/** `reason`: with what would help. */
	| { readonly is: "none"; readonly reason: string };

/** What each sandbox that is tried has. */
const TRIED_NAMESPACES = wordsOf("--unshare-user --unshare-pid --unshare-ipc --unshare-uts --cap-drop ALL");
const TRIED_PLACES = wordsOf("--ro-bind / / --dev /dev --proc /proc");
/** By its path: in the working directory there may be a program of another kind. */
const TRIED_COMMAND = ["/bin/sh", "-c", ":"];
const SINCE_0_5 = ["--perms", "0555", "--tmpfs", "/tmp"]; // --perms: bubblewrap 0.5
const TRIAL = [...TRIED_NAMESPACES, "--die-with-parent", ...TRIED_PLACES, ...SINCE_0_5, ...TRIED_COMMAND];
export const TRIAL_MS = 5_000;
/** What of the kernel keeps users from making namespaces: a file, what stands in it then, what helps. */
const OBSTACLES = [
	{
		file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
		when: "1",
		remedy:
			"AppArmor prevents users from creating namespaces: add a profile for bwrap with `userns,`, or set kernel.apparmor_restrict_unprivileged_userns=0",
	},
	{
		file: "/proc/sys/kernel/unprivileged_userns_clone",
		when: "0",
		remedy: "users cannot create namespaces: set kernel.unprivileged_userns_clone=1",
	},
	{
		file: "/proc/sys/user/max_user_namespaces",
		when: "0",
		remedy: "user namespaces are disabled: raise user.max_user_namespaces",
	},
];

export function probeSandbox(
	env: Readonly<Record<string, string | undefined>>,
	platform: string = process.platform,
): Probed {
	if (platform !== "linux") return { is: "none", reason: "bubblewrap needs Linux" };
	const program = findProgram("bwrap", env.PATH);
	if (program === undefined)
		return { is: "none", reason: "bwrap was not found: install the package bubblewrap (apt-get install bubblewrap)" };
	const { status, stderr, error } = spawnSync(program, TRIAL, {
		encoding: "utf8",
		timeout: TRIAL_MS,
		stdio: ["ignore", "ignore", "pipe"],
	});
	if (status === 0) return { is: "found", program };
	const said = (stderr ?? "").trim().split("\n")[0] || error?.message || `exit status ${status}`;
	return { is: "none", reason: `bubblewrap failed: ${said}${remedy()}` };
}

/**
 * As `probeSandbox`. A success is kept in the file `memory` and holds as long as the machine runs, and bwrap and what the kernel allows
 * this process are the same: a trial takes 5 ms. Where it no longer holds, a sandbox is not made and nothing runs without one.
 */
export function rememberedProbe(env: Readonly<Record<string, string | undefined>>, memory: string): Probed {
	const program = findProgram("bwrap", env.PATH);
	const facts = program === undefined ? undefined : ifThere(() => factsOf(program));
	if (program === undefined || facts === undefined) return probeSandbox(env);
	if (ifThere(() => readText(memory)) === facts) return { is: "found", program };
	const probed = probeSandbox(env);
	if (probed.is === "found") ifThere(() => replaceText(memory, facts, { mode: 0o600 })); // else it is tried again next time
	return probed;
}

/** Throws where the system tells less. */
function factsOf(program: string): string {
	const { ino, size, mtimeMs, ctimeMs } = statSync(program);
	const allowed = readFileSync("/proc/self/status", "utf8").match(/^(Uid|Gid|Cap\w+|NoNewPrivs|Seccomp):.*$/gm);
	return JSON.stringify({
		...{ boot: readFileSync("/proc/sys/kernel/random/boot_id", "utf8"), program, ino, size, mtimeMs, ctimeMs, allowed },
		namespaces: ["user", "mnt", "pid"].map((kind) => readlinkSync(`/proc/self/ns/${kind}`)),
		label: ifThere(() => readFileSync("/proc/self/attr/current", "utf8")),
		rules: OBSTACLES.map(({ file }) => ifThere(() => readFileSync(file, "utf8"))),
	});
}

function remedy(): string {
	const obstacle = OBSTACLES.find(({ file, when }) => existsSync(file) && readFileSync(file, "utf8").trim() === when);
	if (obstacle !== undefined) return ` (${obstacle.remedy})`;
	return existsSync("/.dockerenv") || existsSync("/run/.containerenv")
		? " (in a container: allow it to create namespaces, or rely on the container)"
		: "";
}

/**
 * What a run as root is to write to, and cannot: in the user namespace of a sandbox root has no rights over the files of other users,
 * as those of a project that a container has from outside, or that `sudo` works in.
 */

const TRY = 'for path; do [ -w "$path" ] || printf "%s\\0" "$path"; done';

/** A line for each directory that is another user's and not writable in a sandbox. `program`: bwrap. */
export function othersPlaces(paths: readonly string[], { program, uid }: { program: string; uid: number }): string[] {
	if (uid !== 0) return []; // nobody else has rights over others' files outside of a sandbox
	const owners = new Map([...new Set(paths)].map((path) => [path, ownerOf(path)]));
	const tried = [...owners.keys()].filter((path) => owners.get(path) !== 0);
	if (tried.length === 0) return [];
	const args = [...TRIED_NAMESPACES, "--dev-bind", "/", "/", "--", "/bin/sh", "-c", TRY, "sh", ...tried];
	const { stdout } = spawnSync(program, args, { encoding: "utf8", timeout: TRIAL_MS });
	const refused = (stdout ?? "").split("\0").filter((path) => path !== "");
	return refused.map((path) => notWritable(path, owners.get(path) ?? 0));
}

function ownerOf(path: string): number {
	return ifThere(() => statSync(path).uid) ?? 0; // it is not there
}

function notWritable(path: string, owner: number): string {
	return (
		`commands cannot write to ${path}: it belongs to user ${owner}, and root has no rights over other users' files in a sandbox; ` +
		`start the run as that user (sudo -u '#${owner}' …; in a container --user ${owner}), or chown it to root (chown -R root ${path}), or use --sandbox off`
	);
}

interface SandboxTrial {
	readonly version: string;
	/** What does not hold, with what follows from it. */
	readonly problems: readonly string[];
}

/** As the sandbox of a child agent of root is made: bubblewrap-args.ts. */
const SHARED = wordsOf("--unshare-user --unshare-ipc --unshare-uts --cap-drop ALL --ro-bind / /");

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
	const outer = [...TRIED_NAMESPACES, ...(isRoot ? ["--cap-add", "CAP_SETFCAP"] : []), ...TRIED_PLACES];
	const nests = await works(...outer, program, ...inner);
	const inShell = wordsOf("--dev-bind / / -- /bin/sh -c");
	const layers = await works("--unshare-user", ...LAYER_CAPABILITIES, ...inShell, OVERLAY);
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
