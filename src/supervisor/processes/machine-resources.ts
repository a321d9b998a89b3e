/** What the machine has left, as Linux tells it. What cannot be read is undefined, and never a shortage. */
import { readdirSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { ProcessTable } from "../../processes/table/process-table.ts";

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
