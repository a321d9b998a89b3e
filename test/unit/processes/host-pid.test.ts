import { expect, test } from "vitest";
import { hostPid, parseInnermostPid, procNamespaces } from "../../../src/processes/host-pid.ts";
import { ownPidNamespace } from "../../../src/processes/pid-namespace.ts";

test("the last of the pids in /proc/PID/status is the one in the process's own namespace", () => {
	expect(parseInnermostPid("Name:\tx\nNSpid:\t7417\t12\t1\nNSpgid:\t7417\t12\t1\n")).toBe(1);
	expect(parseInnermostPid("Name:\tNSpid:\\n\nNSpid:\t42\n")).toBe(42);
	expect(parseInnermostPid("Name:\tx\n")).toBeUndefined(); // before Linux 4.1
});

test.skipIf(ownPidNamespace() === null)("this process is found in its own namespace by /proc", () => {
	const { pid } = process;
	expect([procNamespaces.namespaceOf(pid), procNamespaces.innermostPid(pid)]).toEqual([ownPidNamespace(), pid]);
	expect(hostPid({ pid, pidNamespace: ownPidNamespace() }, { own: "pid:[8]", pids: () => [1, pid] })).toBe(pid);
	expect(hostPid({ pid, pidNamespace: "pid:[1]" }, { own: "pid:[8]", pids: () => [1, pid] })).toBeUndefined();
});
