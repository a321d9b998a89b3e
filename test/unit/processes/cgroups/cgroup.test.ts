import { expect, test } from "vitest";
import {
	makeCgroup,
	ownCgroupPath,
	parseCgroupMounts,
	parseOwnCgroup,
	runInPath,
} from "../../../../src/processes/cgroups/cgroup.ts";

const V2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const HYBRID = `\
30 22 0:27 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
38 30 0:35 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
40 30 0:37 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw
`;
const V1_ONLY = HYBRID.split("\n").slice(0, 2).join("\n");

test("the cgroup of this process is that of version 2, also beside version 1", () => {
	expect(parseOwnCgroup("0::/user.slice/session-3.scope\n")).toBe("/user.slice/session-3.scope");
	expect(parseOwnCgroup("9:name=systemd:/\n4:memory:/process_api/f8\n0::/\n")).toBe("/");
	expect(parseOwnCgroup("9:name=systemd:/\n10::/no\n")).toBeUndefined();
});

test("the mount of version 2 is found wherever it is, with spaces in its name", () => {
	expect(parseCgroupMounts(V2)).toEqual([{ root: "/", point: "/sys/fs/cgroup" }]);
	expect(parseCgroupMounts(HYBRID)).toEqual([{ root: "/", point: "/sys/fs/cgroup/unified" }]);
	expect(parseCgroupMounts("1 2 0:3 /a\\040b /mnt/c\\040d rw - cgroup2 none rw")).toEqual([
		{ root: "/a b", point: "/mnt/c d" },
	]);
	expect(parseCgroupMounts(V1_ONLY)).toEqual([]);
});

test("the cgroup of this process is looked for in the part of the tree that is mounted", () => {
	const own = "0::/docker/f8/app\n";
	expect(ownCgroupPath({ cgroup: own, mountinfo: HYBRID })).toBe("/sys/fs/cgroup/unified/docker/f8/app");
	const container = V2.replace("0:26 / ", "0:26 /docker/f8 ");
	expect(ownCgroupPath({ cgroup: own, mountinfo: container })).toBe("/sys/fs/cgroup/app");
	expect(ownCgroupPath({ cgroup: "0::/docker/f8\n", mountinfo: container })).toBe("/sys/fs/cgroup");
	expect(ownCgroupPath({ cgroup: "0::/docker\n", mountinfo: container })).toBeUndefined();
	expect(ownCgroupPath({ cgroup: "0::/../..\n", mountinfo: container })).toBeUndefined();
});

test.each([
	["only version 1 is mounted", { cgroup: "9:pids:/\n0::/\n", mountinfo: V1_ONLY }, /no mounted cgroup v2/],
	["nothing is known", { cgroup: "", mountinfo: "" }, /no mounted cgroup v2/],
	["the place is not there", { cgroup: "0::/gone\n", mountinfo: V2.replace("/sys/fs/cgroup", "/dev/null") }, /ENOTDIR/],
])("where %s, no group is made, and the reason is told as a value", (_, facts, reason) => {
	expect(makeCgroup("20261127-201530-k3f9", facts)).toEqual({
		is: "impossible",
		reason: expect.stringMatching(reason),
	});
});

test("run and agent are read from the path of a cgroup, of several runs the innermost", () => {
	const run = "20261127-201530-k3f9";
	const path = `/user.slice/agentree-${run}`;
	expect(runInPath(path)).toEqual({ run, agent: "1", path });
	expect(runInPath(`${path}/1.20`)).toEqual({ run, agent: "1.20", path });
	expect(runInPath(`${path}/1.2/docker/1.3`)).toEqual({ run, agent: "1.2", path });
	expect(runInPath(`/agentree-20261127-000000-aaaa/1.3/agentree-${run}/docker/x`)).toEqual({
		...{ run, agent: "1", path: `/agentree-20261127-000000-aaaa/1.3/agentree-${run}` },
	});
	for (const path of ["/", "/agentree", "/agentree-", "/agentree-notes", `/xagentree-${run}`, `/agentree-${run}x y/z`])
		expect(runInPath(path)).toBeUndefined();
});
