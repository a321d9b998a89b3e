/**
 * The mounts of sandboxes that are there already. rename(2) over a file, or its removal, takes away what is mounted on it in all other
 * mount namespaces: so it is mounted once more, in each. The owner of a user namespace may do so in all below it (user_namespaces(7)): that
 * of bwrap's own process is one above that of its mounts, unless an ordinary user's run has no layers. Then it is the machine's.
 */
import { spawn } from "node:child_process";
import { lstatSync } from "node:fs";
import { deepestOver } from "../../core/machine/sandbox.ts";
import { type MountPoint, mountsOf, namespaceOf } from "../../processes/proc-facts.ts";
import type { ProcessInfo } from "../../processes/table/process-table.ts";
import { LAYER_ENVIRONMENT } from "../../sandbox/layers.ts";

export interface Covered {
	readonly path: string;
	readonly as: "read" | "hidden file" | "hidden directory";
}

export interface LivingSandbox {
	/** Whether what lies at the place can be written to, or seen, in there. */
	isExposed(place: Covered): boolean;
	/** `isExposed` tells whether that could be done. */
	cover(place: Covered): Promise<void>;
	/** SIGKILL to all that is known to be in it. */
	end(): void;
}

interface Run {
	/** What is mounted in each sandbox of the run, and nowhere else. */
	readonly empty: string;
	readonly nsenter: string | undefined;
}

/** Of a run's processes. */
export function livingSandboxes(infos: readonly ProcessInfo[], run: Run): LivingSandbox[] {
	const namespaces = new Map(infos.map(({ pid }) => [pid, namespaceOf(pid, "mnt")]));
	const found = new Map<string, LivingSandbox>();
	for (const { pid, parent } of infos) {
		const own = namespaces.get(pid);
		if (own === undefined || found.has(own) || own === namespaceOf(parent, "mnt")) continue;
		if (mountOver(pid, run.empty)?.path !== run.empty) continue;
		found.set(own, {
			isExposed: (place) => isExposed(pid, place),
			cover: (place) => cover({ pid, monitor: parent }, place, run),
			end: () => {
				for (const [each, namespace] of namespaces) if (namespace === own) kill(each, own);
			},
		});
	}
	return [...found.values()];
}

/** While it is still that process. */
function kill(pid: number, namespace: string): void {
	if (namespaceOf(pid, "mnt") !== namespace) return;
	try {
		process.kill(pid, "SIGKILL");
	} catch {} // it is over
}

function isExposed(pid: number, { path, as }: Covered): boolean {
	try {
		const [seen, there] = [`/proc/${pid}/root${path}`, path].map((each) => lstatSync(each));
		if (seen?.ino !== there?.ino || seen?.dev !== there?.dev) return false;
		return as !== "read" || mountOver(pid, path)?.options.includes("ro") === false;
	} catch {
		return false; // it is over, or nothing is there
	}
}

/** `pid`: in the sandbox; `monitor`: has started that, and is outside of it. */
async function cover(
	{ pid, monitor }: { pid: number; monitor: number },
	{ path, as }: Covered,
	{ nsenter, empty }: Run,
): Promise<void> {
	if (nsenter === undefined) return;
	const user = namespaceOf(monitor, "user");
	const isMachines = user === undefined || user === namespaceOf(process.pid, "user");
	const enter = [...(isMachines ? [] : [`--user=/proc/${monitor}/ns/user`]), `--mount=/proc/${pid}/ns/mnt`];
	const kept = mountOver(pid, path)?.options.filter((option) => /^no(suid|dev|exec)$/.test(option)) ?? [];
	const script = `[ ! -L "$1" ] && ${COVERS[as]}`;
	const command = ["--preserve-credentials", "--", "/bin/sh", "-c", script, "sh", path, empty, kept.join(",")];
	await new Promise<void>((resolve) => {
		const mounting = spawn(nsenter, [...enter, ...command], {
			...{ env: LAYER_ENVIRONMENT, stdio: "ignore", timeout: WITHIN_MS },
		});
		mounting.once("error", () => resolve()).once("exit", () => resolve());
	});
}

const WITHIN_MS = 5_000;

/** `$1` the place, `$2` an empty file, `$3` the options that nobody may take off in a user namespace. */
const COVERS: Readonly<Record<Covered["as"], string>> = {
	read: 'mount --bind -- "$1" "$1" && mount -o "remount,bind,ro,$3" -- "$1"',
	"hidden file": 'mount --bind -- "$2" "$1"',
	"hidden directory": 'mount -t tmpfs -o "mode=0555,ro,$3" tmpfs "$1"',
};

/** The deepest at or above a path, as a process sees it; of several at one path the last. */
function mountOver(pid: number, path: string): MountPoint | undefined {
	return deepestOver(path, mountsOf(pid));
}
