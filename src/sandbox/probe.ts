/** Whether commands can be put into a sandbox here: one is tried. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { findProgram } from "../processes/find-program.ts";

export type Probed =
	| { readonly is: "found"; readonly program: string }
	/** `reason`: with what would help. */
	| { readonly is: "none"; readonly reason: string };

/** What each sandbox that is tried has. */
export const TRIED_NAMESPACES = [
	"--unshare-user",
	"--unshare-pid",
	"--unshare-ipc",
	"--unshare-uts",
	"--cap-drop",
	"ALL",
];
export const TRIED_PLACES = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
/** By its path: in the working directory there may be a program of another kind. */
export const TRIED_COMMAND = ["/bin/sh", "-c", ":"];
const SINCE_0_5 = ["--perms", "0555", "--tmpfs", "/tmp"]; // --perms: bubblewrap 0.5
const TRIAL = [...TRIED_NAMESPACES, "--die-with-parent", ...TRIED_PLACES, ...SINCE_0_5, ...TRIED_COMMAND];
export const TRIAL_MS = 5_000;
/** What of the kernel keeps users from making namespaces: a file, what stands in it then, what helps. */
const OBSTACLES = [
	{
		file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
		when: "1",
		remedy:
			"AppArmor keeps users from making namespaces: add a profile for bwrap that has `userns,`, or set kernel.apparmor_restrict_unprivileged_userns=0",
	},
	{
		file: "/proc/sys/kernel/unprivileged_userns_clone",
		when: "0",
		remedy: "users may not make namespaces: set kernel.unprivileged_userns_clone=1",
	},
	{
		file: "/proc/sys/user/max_user_namespaces",
		when: "0",
		remedy: "no namespaces of users may be made: raise user.max_user_namespaces",
	},
];

export function probeSandbox(
	env: Readonly<Record<string, string | undefined>>,
	platform: string = process.platform,
): Probed {
	if (platform !== "linux") return { is: "none", reason: "bubblewrap is for Linux" };
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
	return { is: "none", reason: `bubblewrap cannot make one: ${said}${remedy()}` };
}

function remedy(): string {
	const obstacle = OBSTACLES.find(({ file, when }) => existsSync(file) && readFileSync(file, "utf8").trim() === when);
	if (obstacle !== undefined) return ` (${obstacle.remedy})`;
	return existsSync("/.dockerenv") || existsSync("/run/.containerenv")
		? " (in a container: start it with rights to make namespaces, or rely on the container)"
		: "";
}
