/** The paths of cgroups, and the directories where they are mounted. Pure. */
import { join, relative } from "node:path";
import { unescaped } from "../../core/machine/paths.ts";
import { type AgentId, isAgentId, ROOT } from "../../core/model/agent.ts";
import { RUN_ID } from "../../core/run/run-id.ts";

export const PREFIX = "agentree-";
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

/**
 * The mounts of cgroup v2. proc_pid_mountinfo(5):
 * `id parent major:minor ROOT POINT options … - cgroup2 source options`, spaces as `\040`.
 */
export function parseCgroupMounts(text: string): { root: string; point: string }[] {
	return text.split("\n").flatMap((line) => {
		const [before = "", after = ""] = line.split(" - ");
		const [, , , root, point] = before.split(" ").map(unescaped);
		return after.startsWith("cgroup2 ") && root !== undefined && point !== undefined ? [{ root, point }] : [];
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
