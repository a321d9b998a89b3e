import { expect, test } from "vitest";
import { supervisorOfCgroup } from "../../../src/agent/own-supervisor.ts";
import type { ProcessTable } from "../../../src/processes/process-table.ts";

const RUN = "20261127-201530-k3f9";
const OWN = { env: { XDG_RUNTIME_DIR: "/run/user/7" }, ppid: 1, getuid: () => 7 };

function tableOf(environments: Record<number, Record<string, string>>): ProcessTable {
	return { list: () => [], read: () => undefined, environment: (pid) => environments[pid] };
}

const group = (...pids: number[]) => ({ run: RUN, pids: () => pids });

test("outside of every run's group there is no supervisor", () => {
	expect(supervisorOfCgroup(OWN, tableOf({}), undefined)).toBeUndefined();
});

test("the first in the group that carries the run's cookie knows the socket, the root agent as well as a command", () => {
	const root = { AGENTREE_SOCKET: "/run/s", AGENTREE_AGENT: RUN };
	const command = { AGENTREE_SOCKET: "/run/s", AGENTREE_AGENT: `${RUN}/1.2` };
	const other = { AGENTREE_SOCKET: "/run/other", AGENTREE_AGENT: "20261127-201530-aaaa/1" };
	const table = tableOf({ 5: {}, 6: other, 7: command, 8: root });
	expect(supervisorOfCgroup(OWN, table, group(4, 5, 6, 7))).toEqual({ socket: "/run/s" });
	expect(supervisorOfCgroup(OWN, table, group(6, 8))).toEqual({ socket: "/run/s" });
});

test("when none in the group knows the socket it is the run's usual one: out of reach, but never a new root", () => {
	expect(supervisorOfCgroup(OWN, tableOf({ 5: {} }), group(5))).toEqual({
		socket: `/run/user/7/agentree/${RUN}.sock`,
	});
});
