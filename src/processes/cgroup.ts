/**
 * Control groups (cgroup v2): what is in one stays in it with all that it starts, whatever that does to its environment,
 * session and parent. A run has a group `agentree-RUN`, and in it one for each agent, side by side: `agentree-RUN/1.2`. It can be made where the user may write below this process's own group: as root, in
 * many containers, and where systemd has delegated one (`systemd-run --user --scope`). Elsewhere nothing is lost but that.
 * No controller is asked for, so nothing is limited, and the rule against processes in inner groups does not apply.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { type AgentId, isAgentId, ROOT } from "../core/agent.ts";
import { RUN_ID } from "../core/run-id.ts";

export interface Cgroup {
	readonly path: string;
	/** With all that it will start; what it has started already stays where it is. */
	add(pid: number): boolean;
	/** Also of groups that were made below it. */
	pids(): number[];
	/** SIGKILL to all at once, so that none can fork away (Linux 5.14); false where the kernel cannot. */
	kill(): boolean;
	/** With those below it, when nothing lives in them; else it stays. False while it is there. */
	remove(options?: { mayWait: boolean }): boolean;
	/** A group in it, which may be there; undefined when it cannot be made. */
	make(name: string): Cgroup | undefined;
	/** The groups in it. */
	groups(): { name: string; cgroup: Cgroup }[];
}

export type MadeCgroup =
	| { readonly is: "made"; readonly cgroup: Cgroup }
	| { readonly is: "impossible"; readonly reason: string };

/** The texts of /proc/self/cgroup and /proc/self/mountinfo. */
export interface CgroupDeps {
	readonly cgroup: string;
	readonly mountinfo: string;
}

const PREFIX = "agentree-";
const RUN_GROUP = new RegExp(`^(.*/${PREFIX}(${RUN_ID.source}))(?:/([^/]*).*)?$`);
const STALE_MS = 60_000; // another run may just have made its group, and not yet put its root agent into it

export function makeCgroup(run: string, facts?: CgroupDeps): MadeCgroup {
	try {
		const parent = ownCgroupPath(facts ?? readFacts());
		if (parent === undefined) return { is: "impossible", reason: "no cgroup v2 is mounted in which this process is" };
		const path = join(parent, PREFIX + run);
		if (!existsSync(path)) mkdirSync(path); // a run that is resumed may find its own
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

export interface CgroupOfRun {
	readonly run: string;
	/** In whose group it is; the root in that of the run itself, as where an agent's own group could not be made. */
	readonly agent: AgentId;
	/** Of the whole run. Undefined where its directory cannot be seen. */
	readonly cgroup: Cgroup | undefined;
}

/** In which run's group a process is; the process need not know of it. */
export function cgroupRunOf(pid: number | "self"): CgroupOfRun | undefined {
	try {
		const own = parseOwnCgroup(readFileSync(`/proc/${pid}/cgroup`, "utf8"));
		const named = own === undefined ? undefined : runInPath(own);
		if (named === undefined) return undefined;
		const path = pathOf(named.path, readFileSync("/proc/self/mountinfo", "utf8"));
		return { run: named.run, agent: named.agent, cgroup: path === undefined ? undefined : cgroupAt(path) };
	} catch {
		return undefined; // it is over, or there is no /proc
	}
}

/** `/user.slice/agentree-RUN/1.2/more` → RUN, 1.2 and `/user.slice/agentree-RUN`; the innermost when there are several. */
export function runInPath(path: string): { run: string; agent: AgentId; path: string } | undefined {
	const match = RUN_GROUP.exec(path);
	if (match === null) return undefined;
	const [, group = "", run = "", name = ""] = match;
	return { run, agent: isAgentId(name) ? name : ROOT, path: group };
}

/** The group of a run that was started where this process is. */
export function cgroupOfRun(run: string): Cgroup | undefined {
	try {
		const parent = ownCgroupPath(readFacts());
		const path = parent === undefined ? undefined : join(parent, PREFIX + run);
		return path !== undefined && existsSync(path) ? cgroupAt(path) : undefined;
	} catch {
		return undefined;
	}
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
export function ownCgroupPath({ cgroup, mountinfo }: CgroupDeps): string | undefined {
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

function readFacts(): CgroupDeps {
	return {
		cgroup: readFileSync("/proc/self/cgroup", "utf8"),
		mountinfo: readFileSync("/proc/self/mountinfo", "utf8"),
	};
}

function unescaped(text: string): string {
	return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function cgroupAt(path: string): Cgroup {
	// `r+`: where it is gone, or never was a group, no file is made
	const write = (file: string, text: string) => isDone(() => writeFileSync(join(path, file), text, { flag: "r+" }));
	return {
		path,
		add: (pid) => write("cgroup.procs", String(pid)),
		pids: () => pidsWithin(path),
		kill: () => write("cgroup.kill", "1"),
		remove: ({ mayWait } = { mayWait: true }) => {
			// A zombie in it waits for its parent, which init soon is: a few looks, then the next run takes it away.
			for (let look = 0; !removeTree(path) && mayWait && look < 20 && pidsWithin(path).length === 0; look++) pause(10);
			return !existsSync(path);
		},
		make: (name) => {
			const group = join(path, name);
			return isDone(() => mkdirSync(group)) || existsSync(group) ? cgroupAt(group) : undefined;
		},
		groups: () => groupsBelow(path).map((group) => ({ name: basename(group), cgroup: cgroupAt(group) })),
	};
}

function pidsWithin(path: string): number[] {
	const pids = readOrEmpty(join(path, "cgroup.procs")).split("\n");
	return [...pids.filter((line) => line !== "").map(Number), ...groupsBelow(path).flatMap(pidsWithin)];
}

/** EBUSY while something is in it. */
function removeTree(path: string): boolean {
	for (const below of groupsBelow(path)) removeTree(below);
	return isDone(() => rmdirSync(path));
}

/** Groups of runs whose supervisor was killed. One in which something lives stays as it is, its empty groups, too. */
function removeStale(parent: string, nowMs: number): void {
	for (const group of groupsBelow(parent)) {
		if (runInPath(group)?.path !== group || pidsWithin(group).length > 0) continue;
		if (nowMs - (statSync(group, { throwIfNoEntry: false })?.ctimeMs ?? nowMs) > STALE_MS) removeTree(group);
	}
}

function groupsBelow(path: string): string[] {
	try {
		const entries = readdirSync(path, { withFileTypes: true });
		return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
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
