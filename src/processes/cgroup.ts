/**
 * A control group (cgroup v2) for a run: what is in it stays in it with all that it starts, whatever that does to its
 * environment, session and parent. It can be made where the user may write below this process's own group: as root, in
 * many containers, and where systemd has delegated one (`systemd-run --user --scope`). Elsewhere nothing is lost but that.
 * No controller is asked for, so nothing is limited, and the rule against processes in inner groups does not apply.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

export interface Cgroup {
	readonly path: string;
	/** With all that it will start; what it has started already stays where it is. */
	add(pid: number): boolean;
	/** Also of groups that were made below it. */
	pids(): number[];
	/** SIGKILL to all at once, so that none can fork away (Linux 5.14); false where the kernel cannot. */
	kill(): boolean;
	/** When nothing lives in it; else it stays. */
	remove(): void;
}

export type MadeCgroup =
	| { readonly is: "made"; readonly cgroup: Cgroup }
	| { readonly is: "impossible"; readonly reason: string };

/** The texts of /proc/self/cgroup and /proc/self/mountinfo. */
export interface CgroupFacts {
	readonly cgroup: string;
	readonly mountinfo: string;
}

const PREFIX = "agentree-";
const STALE_MS = 60_000; // another run may just have made its group, and not yet put its root agent into it

export function makeCgroup(run: string, facts?: CgroupFacts): MadeCgroup {
	try {
		const parent = ownCgroupPath(facts ?? readFacts());
		if (parent === undefined) return { is: "impossible", reason: "no cgroup v2 is mounted in which this process is" };
		const path = join(parent, PREFIX + run);
		mkdirSync(path);
		if (!existsSync(join(path, "cgroup.procs"))) {
			rmdirSync(path);
			return { is: "impossible", reason: `${parent} is no cgroup` };
		}
		removeStale(parent, statSync(path).ctimeMs);
		return { is: "made", cgroup: cgroupAt(path) };
	} catch (error) {
		return { is: "impossible", reason: (error as Error).message };
	}
}

/** The run in whose group a process is, and that group; the process need not know of it. */
export function cgroupRunOf(pid: number | "self"): { run: string; pids: () => number[] } | undefined {
	try {
		const own = parseOwnCgroup(readFileSync(`/proc/${pid}/cgroup`, "utf8"));
		const named = own === undefined ? undefined : runInPath(own);
		if (named === undefined) return undefined;
		const path = pathOf(named.path, readFileSync("/proc/self/mountinfo", "utf8"));
		return { run: named.run, pids: () => (path === undefined ? [] : pidsWithin(path)) };
	} catch {
		return undefined; // it is over, or there is no /proc
	}
}

/** `/user.slice/agentree-RUN/more` → RUN and `/user.slice/agentree-RUN`; the innermost when there are several. */
export function runInPath(path: string): { run: string; path: string } | undefined {
	const match = /^(.*\/agentree-(\d{8}-\d{6}-[a-z0-9]+))(\/.*)?$/.exec(path);
	return match === null ? undefined : { run: match[2] ?? "", path: match[1] ?? "" };
}

/** cgroups(7): the line of version 2 is `0::PATH`, whatever is mounted of version 1 beside it. */
export function parseOwnCgroup(text: string): string | undefined {
	return /^0::(\/.*)$/m.exec(text)?.[1];
}

/** proc_pid_mountinfo(5): `id parent major:minor ROOT POINT options … - cgroup2 source options`, spaces as `\040`. */
export function parseCgroupMounts(text: string): { root: string; point: string }[] {
	return text.split("\n").flatMap((line) => {
		const [before = "", after = ""] = line.split(" - ");
		const [, , , root, point] = before.split(" ").map(unescaped);
		return after.startsWith("cgroup2 ") && root !== undefined && point !== undefined ? [{ root, point }] : [];
	});
}

/** Where this process's own group is seen as a directory. */
export function ownCgroupPath({ cgroup, mountinfo }: CgroupFacts): string | undefined {
	const own = parseOwnCgroup(cgroup);
	return own === undefined ? undefined : pathOf(own, mountinfo);
}

/** A mount may show only a part of the tree, as in a container; a group outside of it cannot be reached. */
function pathOf(group: string, mountinfo: string): string | undefined {
	for (const { root, point } of parseCgroupMounts(mountinfo)) {
		const below = relative(root, group);
		if (!below.startsWith("..")) return join(point, below);
	}
	return undefined;
}

function readFacts(): CgroupFacts {
	return {
		cgroup: readFileSync("/proc/self/cgroup", "utf8"),
		mountinfo: readFileSync("/proc/self/mountinfo", "utf8"),
	};
}

function unescaped(text: string): string {
	return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function cgroupAt(path: string): Cgroup {
	return {
		path,
		add: (pid) => isDone(() => writeFileSync(join(path, "cgroup.procs"), String(pid))),
		pids: () => pidsWithin(path),
		kill: () => existsSync(join(path, "cgroup.kill")) && isDone(() => writeFileSync(join(path, "cgroup.kill"), "1")),
		remove: () => removeTree(path),
	};
}

function pidsWithin(path: string): number[] {
	const own = readdirOrNone(path).includes("cgroup.procs") ? readOrEmpty(join(path, "cgroup.procs")) : "";
	const pids = own.split("\n").filter((line) => line !== "");
	return [...pids.map(Number), ...groupsBelow(path).flatMap(pidsWithin)];
}

/** EBUSY while a zombie in it waits for its parent, which init soon is: a few looks, then the next run takes it away. */
function removeTree(path: string): void {
	for (const below of groupsBelow(path)) removeTree(below);
	for (let look = 0; look < 20 && !isDone(() => rmdirSync(path)) && existsSync(path); look++) pause(10);
}

/** Groups of runs whose supervisor was killed. The kernel keeps those in which something lives. */
function removeStale(parent: string, nowMs: number): void {
	for (const group of groupsBelow(parent)) {
		const isStale = runInPath(group)?.path === group && nowMs - statSync(group).ctimeMs > STALE_MS;
		if (isStale) isDone(() => rmdirSync(group));
	}
}

function groupsBelow(path: string): string[] {
	return readdirOrNone(path, true).map((name) => join(path, name));
}

function readdirOrNone(path: string, isDirectory = false): string[] {
	try {
		const entries = readdirSync(path, { withFileTypes: true });
		return entries.filter((entry) => entry.isDirectory() === isDirectory).map(({ name }) => name);
	} catch {
		return []; // it is gone
	}
}

function readOrEmpty(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return ""; // it is gone; EOPNOTSUPP: a threaded group, whose processes its parent lists
	}
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
