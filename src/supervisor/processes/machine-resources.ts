/** What the machine has left, as Linux tells it. What cannot be read is undefined, and never a shortage. */

import { readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { factsOf } from "../../models/catalogue.ts";
import { readFileLimit } from "../../processes/proc-facts.ts";
import type { ProcessTable } from "../../processes/table/process-table.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";

export const systemResources = {
	freeDiskBytes: (directory: string) =>
		attempt(() => {
			const { bavail, bsize } = statfsSync(directory); // bavail: without what is reserved for root
			return bavail * bsize;
		}),
	freeMemoryPercent: () => {
		const shares = [machineShare(), cgroupShare()].filter((share) => share !== undefined);
		return shares.length === 0 ? undefined : 100 * Math.min(...shares);
	},
	/** Lists one directory, so it is cheap. */
	processCount: () => attempt(() => readdirSync("/proc").filter((name) => /^\d/.test(name)).length),
};

/** While the system has given no new pid there are no more processes than before: an idle machine is not counted again. */
export function processCounter(table: Pick<ProcessTable, "newestPid" | "list">): () => number {
	let counted: { newest: number | undefined; count: number } = { newest: undefined, count: 0 };
	return () => {
		const newest = table.newestPid();
		if (newest !== undefined && newest === counted.newest) return counted.count;
		counted = { newest, count: systemResources.processCount() ?? table.list().length };
		return counted.count;
	};
}

function machineShare(): number | undefined {
	return parseMemoryInfo(attempt(() => readFileSync("/proc/meminfo", "latin1")) ?? "");
}

/** The free part, 0 to 1. proc(5): MemAvailable is what new programs can have without swapping, caches counted as free. */
export function parseMemoryInfo(text: string): number | undefined {
	const total = Number(/^MemTotal: +(\d+) kB/m.exec(text)?.[1]);
	const available = Number(/^MemAvailable: +(\d+) kB/m.exec(text)?.[1]);
	return total > 0 && available >= 0 ? available / total : undefined;
}

/** The free part of a container's own bound: cgroup v2 or v1. Inside a container its cgroup is the root of the mount. */
function cgroupShare(): number | undefined {
	const lines = (attempt(() => readFileSync("/proc/self/cgroup", "utf8")) ?? "").split("\n");
	const v1 = lines.find((line) => /^\d+:([^:]*,)?memory(,[^:]*)?:/.test(line))?.split(":")[2];
	const v2 = lines.find((line) => line.startsWith("0::"))?.slice(3);
	const shares = [
		...(v2 === undefined ? [] : [v2, "/"]).map((path) =>
			shareIn(join("/sys/fs/cgroup", path), "memory.max", "memory.current"),
		),
		...(v1 === undefined ? [] : [v1, "/"]).map((path) =>
			shareIn(join("/sys/fs/cgroup/memory", path), "memory.limit_in_bytes", "memory.usage_in_bytes"),
		),
	].filter((share) => share !== undefined);
	return shares.length === 0 ? undefined : Math.min(...shares);
}

function shareIn(directory: string, limitFile: string, usageFile: string): number | undefined {
	const read = (name: string) => attempt(() => readFileSync(join(directory, name), "latin1"));
	return cgroupMemoryShare(read(limitFile), read(usageFile), read("memory.stat"));
}

const UNLIMITED = 2 ** 60; // v1 says 9223372036854771712 for no limit; v2 says "max"

/** The free part, 0 to 1. The inactive page cache counts as free: the kernel takes it back before it kills a process. */
export function cgroupMemoryShare(limit?: string, usage?: string, stat = ""): number | undefined {
	const most = Number.parseInt(limit ?? "", 10);
	const used = Number.parseInt(usage ?? "", 10);
	if (!(most > 0 && most < UNLIMITED) || !(used >= 0)) return undefined;
	const cache = Number(/^(?:total_)?inactive_file (\d+)/m.exec(stat)?.[1] ?? 0);
	return Math.max(0, most - Math.max(0, used - cache)) / most;
}

function attempt<T>(act: () => T): T | undefined {
	try {
		return act();
	} catch {
		return undefined; // not Linux, or not mounted
	}
}

/**
 * The supervisor's open files: one for each agent alive, one for each call under way, and its own. When none are left it can
 * neither read the process table nor write its record, so agents that join are refused before that.
 */

const OWN_FILES = 24; // Node's and the supervisor's own, measured: 22; and two watchers
const SPARE_FILES = 12; // open for a moment: the process table, a transcript, connections that are being refused

interface Descriptors {
	readonly open: number;
	/** The soft limit. */
	readonly most: number;
}

/** The settings by which a run needs open files. */
type FileNeeds = Pick<RunSettings, "limits" | "model">;

/** Those of this process; undefined where the system does not tell. */
export function readDescriptors(): Descriptors | undefined {
	const limit = readFileLimit("self");
	if (limit === undefined) return undefined;
	try {
		return { open: countOpen(), most: limit.soft };
	} catch {
		return { open: limit.soft, most: limit.soft }; // EMFILE: none are left
	}
}

/** Since Linux 6.2 the size of the directory is the number of open files; to list 2,000 of them takes 2 ms. */
function countOpen(): number {
	return statSync("/proc/self/fd").size || readdirSync("/proc/self/fd").length;
}

/** The reason why an agent, which is connected already, may not join; undefined when it may. */
export function tooManyOpen(descriptors: Descriptors | undefined, settings: FileNeeds): string | undefined {
	if (descriptors === undefined || descriptors.open + callsAtOnce(settings) + SPARE_FILES <= descriptors.most)
		return undefined;
	return `the supervisor can have at most ${descriptors.most} open files (ulimit -n), one per agent: wait for other agents to end, or do this task yourself`;
}

/** A notice for before the run starts, when its limits promise more agents than `most` open files allow; else undefined. */
export function fewFilesNotice(settings: FileNeeds, most: number): string | undefined {
	const { maxAgents } = settings.limits;
	const beside = OWN_FILES + callsAtOnce(settings) + SPARE_FILES;
	const needed = beside + maxAgents;
	if (needed <= most) return undefined;
	return `ulimit -Hn ${most} allows only about ${Math.max(1, most - beside)} live agents, fewer than --max-agents ${maxAgents}: more are refused; raise the limit to ${needed} (ulimit -n as root, LimitNOFILE=, docker run --ulimit nofile=), or lower --max-agents`;
}

/** How many connections the server takes. Further ones are closed without a word: to say why takes an open file, too. */
export function maxConnections({ open, most }: Descriptors): number {
	return Math.max(1, most - open - SPARE_FILES / 2);
}

function callsAtOnce({ limits, model }: FileNeeds): number {
	return factsOf(model).isRemote ? Math.min(limits.maxConcurrency, limits.maxAgents) : 0;
}
