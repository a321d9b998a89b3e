/** Whether a run that starts now would have a cgroup. */
import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { makeCgroup } from "./cgroup.ts";

export type CgroupTrial =
	/** `parent`: where that of a run would be made. */
	{ readonly is: "possible"; readonly parent: string } | { readonly is: "impossible"; readonly reason: string };

const INTO = 'echo $$ > "$1/cgroup.procs"';

/** Makes one under that name, lets a process move into it, as agents do, and removes it. Never rejects. */
export async function tryCgroup(name: string): Promise<CgroupTrial> {
	const made = makeCgroup(name);
	if (made.is === "impossible") return made;
	const { path } = made.cgroup;
	const error = await new Promise<Error | null>((resolve) => {
		execFile("/bin/sh", ["-c", INTO, "sh", path], (failure) => resolve(failure));
	});
	made.cgroup.remove();
	return error === null
		? { is: "possible", parent: dirname(path) }
		: { is: "impossible", reason: `no process can move into ${path}` };
}
