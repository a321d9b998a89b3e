/**
 * Control groups (cgroup v2): a process stays in its cgroup with all that it starts, whatever that does to its environment,
 * session and parent. A run has a cgroup `agentree-RUN`, and in it one for each agent, side by side: `agentree-RUN/1.2`.
 * It can be made where the user may write below this process's own cgroup: as root, in many containers, and where systemd
 * has delegated one (`systemd-run --user --scope`). Elsewhere a run works without it, and processes are found in other
 * ways. No controller is enabled, so nothing is limited, and the kernel's rule against processes in inner cgroups does
 * not apply.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdir, rmdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { promisify } from "node:util";
import { ifThere } from "../../core/if-there.ts";
import { unescaped } from "../../core/machine/paths.ts";
import { type AgentId, isAgentId, ROOT } from "../../core/model/agent.ts";
import { RUN_ID } from "../../core/run/run-id.ts";

export class Cgroup {
	readonly path: string;

	constructor(path: string) {
		this.path = path;
	}

	/** Moves a process here. What it will start is here, too; what it has started already stays where it is. */
	add(pid: number): boolean {
		return this.write("cgroup.procs", String(pid));
	}

	/** The processes in this cgroup and in those below it. */
	pids(): number[] {
		return pidsWithin(this.path);
	}

	/** SIGKILL to all of `pids` at once, so that none can fork away. False where the kernel cannot (before Linux 5.14). */
	kill(): boolean {
		return this.write("cgroup.kill", "1");
	}

	/** Removes this cgroup and those below it, unless something lives in them. False while it is still there. */
	remove(): boolean {
		// A zombie in it waits for its parent, which is soon init: try for 200 ms, then leave it to the next run.
		for (let tries = 0; !removeTree(this.path) && tries < 20 && this.pids().length === 0; tries++) pause(10);
		return !existsSync(this.path);
	}

	/** As `remove`, tried once and without blocking: the kernel may hold it for some milliseconds. */
	async tryRemove(): Promise<boolean> {
		for (const { cgroup } of this.children()) await cgroup.tryRemove();
		// EBUSY: a process is in it. No second look: it would wait where an agent's mkdir waits in the same directory.
		return promisify(rmdir)(this.path).then(
			() => true,
			(error: NodeJS.ErrnoException) => error.code === "ENOENT",
		);
	}

	/** A cgroup in this one, whether it has been made or not. */
	child(name: string): Cgroup {
		return new Cgroup(join(this.path, name));
	}

	/** A cgroup in this one, new or old; undefined when it cannot be made. */
	make(name: string): Cgroup | undefined {
		const child = this.child(name);
		return isDone(() => mkdirSync(child.path)) || existsSync(child.path) ? child : undefined;
	}

	/** The cgroups in this one. */
	children(): { name: string; cgroup: Cgroup }[] {
		return childrenOf(this.path).map((path) => ({ name: basename(path), cgroup: new Cgroup(path) }));
	}

	/** `r+` makes no file where the cgroup is gone, or the directory never was one. */
	private write(file: string, text: string): boolean {
		return isDone(() => writeFileSync(join(this.path, file), text, { flag: "r+" }));
	}
}

type MadeCgroup =
	| { readonly is: "made"; readonly cgroup: Cgroup }
	| { readonly is: "impossible"; readonly reason: string };

/** The texts of /proc/self/cgroup and /proc/self/mountinfo. */
interface CgroupFiles {
	readonly cgroup: string;
	readonly mountinfo: string;
}

const STALE_MS = 60_000; // another run may have made its cgroup just now, and not yet put its root agent into it

/** Makes the cgroup of a run, below that of this process, and removes those of dead runs beside it. */
export function makeCgroup(run: string, files?: CgroupFiles): MadeCgroup {
	try {
		const parent = ownCgroupPath(files ?? readCgroupFiles());
		if (parent === undefined) return { is: "impossible", reason: "this process is in no mounted cgroup v2" };
		const path = join(parent, PREFIX + run);
		if (!existsSync(path)) mkdirSync(path); // a resumed run may find its own
		if (!existsSync(join(path, "cgroup.procs"))) {
			rmdirSync(path);
			return { is: "impossible", reason: `${parent} is not a cgroup` };
		}
		removeStale(parent, statSync(path).ctimeMs);
		return { is: "made", cgroup: new Cgroup(path) };
	} catch (error) {
		return { is: "impossible", reason: (error as Error).message };
	}
}

/** In which run's cgroup a process is. */
export interface CgroupMembership {
	readonly run: string;
	/** The agent in whose cgroup the process is; the root if it is in that of the run itself. */
	readonly agent: AgentId;
	/** That of the whole run. Undefined where its directory cannot be seen. */
	readonly cgroup: Cgroup | undefined;
	/** The directory of the cgroup in which the process itself is: that of an agent, or one below it. */
	readonly ownPath: string | undefined;
}

/** Read from the kernel: the process itself need not know of it. Undefined for a process that is in no run's cgroup. */
export function cgroupMembershipOf(pid: number | "self"): CgroupMembership | undefined {
	return ifThere(() => {
		const named = readRunPath(pid);
		if (named === undefined) return undefined;
		const { run, agent, path, own } = named;
		const directory = directoryOf(path, cgroupMounts());
		if (directory === undefined) return { run, agent, cgroup: undefined, ownPath: undefined };
		return { run, agent, cgroup: new Cgroup(directory), ownPath: join(directory, own.slice(path.length)) };
	});
}

/** As `cgroupMembershipOf`, without the directories: one small read, and none of the mounts. */
export function cgroupPlaceOf(pid: number | "self"): Pick<CgroupMembership, "run" | "agent"> | undefined {
	return ifThere(() => readRunPath(pid));
}

/** Throws the system's error for a process that is over. */
function readRunPath(pid: number | "self") {
	const own = parseOwnCgroup(readFileSync(`/proc/${pid}/cgroup`, "utf8"));
	const named = own === undefined ? undefined : runInPath(own);
	return own === undefined || named === undefined ? undefined : { ...named, own };
}

/** The cgroup of a run that was started in the same cgroup as this process. */
export function cgroupOfRun(run: string): Cgroup | undefined {
	return ifThere(() => {
		const parent = ownCgroupPath(readCgroupFiles());
		const path = parent === undefined ? undefined : join(parent, PREFIX + run);
		return path !== undefined && existsSync(path) ? new Cgroup(path) : undefined;
	});
}

/** The directory of this process's own cgroup. */
export function ownCgroupPath({ cgroup, mountinfo }: CgroupFiles): string | undefined {
	const own = parseOwnCgroup(cgroup);
	return own === undefined ? undefined : directoryOf(own, mountinfo);
}

function readCgroupFiles(): CgroupFiles {
	return { cgroup: readFileSync("/proc/self/cgroup", "utf8"), mountinfo: cgroupMounts() };
}

let ofCgroups: string | undefined;

/** Those of /proc/self/mountinfo, as they were at the first look: who reads it waits for all others on the machine who mount something. */
function cgroupMounts(): string {
	ofCgroups ??= readFileSync("/proc/self/mountinfo", "utf8")
		.split("\n")
		.filter((line) => line.includes(CGROUP_MOUNT))
		.join("\n");
	return ofCgroups;
}

function pidsWithin(path: string): number[] {
	const pids = readOrEmpty(join(path, "cgroup.procs")).split("\n");
	return [...pids.filter((line) => line !== "").map(Number), ...childrenOf(path).flatMap(pidsWithin)];
}

/** Removes a cgroup and those below it. False while a process is in it (EBUSY). */
function removeTree(path: string): boolean {
	for (const child of childrenOf(path)) removeTree(child);
	return isDone(() => rmdirSync(path));
}

/** Removes the cgroups of runs whose supervisor was killed. One in which something lives stays whole. */
function removeStale(parent: string, nowMs: number): void {
	for (const child of childrenOf(parent)) {
		if (runInPath(child)?.path !== child || pidsWithin(child).length > 0) continue;
		if (nowMs - (statSync(child, { throwIfNoEntry: false })?.ctimeMs ?? nowMs) > STALE_MS) removeTree(child);
	}
}

function childrenOf(path: string): string[] {
	try {
		const entries = readdirSync(path, { withFileTypes: true });
		return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
	} catch {
		return []; // the cgroup is gone
	}
}

function readOrEmpty(path: string): string {
	return ifThere(() => readFileSync(path, "utf8")) ?? ""; // the cgroup is gone; EOPNOTSUPP: a threaded one, whose processes its parent lists
}

function pause(ms: number): void {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function isDone(act: () => void): boolean {
	try {
		act();
		return true;
	} catch {
		return false;
	}
}

/** The paths of cgroups, and the directories where they are mounted. Pure. */

const PREFIX = "agentree-";
const RUN_PATH = new RegExp(`^(.*/${PREFIX}(${RUN_ID.source}))(?:/([^/]*).*)?$`);

/** `/user.slice/agentree-RUN/1.2/more` → RUN, 1.2 and `/user.slice/agentree-RUN`. Of several runs in a path, the innermost. */
export function runInPath(path: string): { run: string; agent: AgentId; path: string } | undefined {
	const match = RUN_PATH.exec(path);
	if (match === null) return undefined;
	const [, runPath = "", run = "", name = ""] = match;
	return { run, agent: isAgentId(name) ? name : ROOT, path: runPath };
}

/**
 * The path of a process in the cgroup tree. cgroups(7): the line of version 2 is `0::PATH`, also beside mounts of
 * version 1.
 */
export function parseOwnCgroup(text: string): string | undefined {
	return /^0::(\/.*)$/m.exec(text)?.[1];
}

const CGROUP_MOUNT = " - cgroup2 ";

/**
 * The mounts of cgroup v2. proc_pid_mountinfo(5):
 * `id parent major:minor ROOT POINT options … - cgroup2 source options`, spaces as `\040`.
 */
export function parseCgroupMounts(text: string): { root: string; point: string }[] {
	return text.split("\n").flatMap((line) => {
		const [before = "", after] = line.split(CGROUP_MOUNT);
		const [, , , root, point] = before.split(" ").map(unescaped);
		return after !== undefined && root !== undefined && point !== undefined ? [{ root, point }] : [];
	});
}

/**
 * The directory of a cgroup. A mount may show only a part of the tree, as in a container; what is outside cannot be
 * reached.
 */
export function directoryOf(own: string, mountinfo: string): string | undefined {
	for (const { root, point } of parseCgroupMounts(mountinfo)) {
		const below = relative(root, own);
		if (!below.startsWith("..")) return join(point, below);
	}
	return undefined;
}
