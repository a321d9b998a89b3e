import { expect, test } from "vitest";
import type { ProcessInfo } from "../../../../src/processes/process-table.ts";
import { clientOrigin } from "../../../../src/supervisor/processes/client-origin.ts";

const NAMED = { pid: 50, pidNamespace: "pid:[1]" };

type Entry = Partial<ProcessInfo> & { pid: number; parent: number; cookie?: string; cgroup?: string };

/** PID 1, a shell from before the run, the supervisor, and what is given. */
function originIn(entries: readonly Entry[], { inside = undefined as string | undefined, isUnmarked = true } = {}) {
	const all: Entry[] = [
		{ pid: 1, parent: 0, startTime: "1" },
		{ pid: 20, parent: 1, startTime: "10" },
		{ pid: 30, parent: 20, startTime: "100" },
		...entries,
	];
	const infos = new Map(
		all.map(({ cookie, cgroup, ...entry }) => [
			entry.pid,
			{ group: entry.pid, session: entry.pid, state: "S", name: "x", startTime: "200", ...entry },
		]),
	);
	const of = (pid: number) => all.find((entry) => entry.pid === pid);
	const info = infos.get(50);
	return clientOrigin(NAMED, {
		look: {
			read: (pid) => infos.get(pid),
			environment: (pid) => ({ ...(of(pid)?.cookie && { AGENTREE_AGENT: of(pid)?.cookie ?? "" }) }),
		},
		run: "R",
		supervisor: infos.get(30),
		whoseIs: () => {
			if (info === undefined) return { is: "gone", reason: "not there" };
			return inside === undefined ? { is: "outside", reason: "r", info } : { is: "inside", agent: inside, info };
		},
		cgroupOf: (pid) => (of(pid)?.cgroup === undefined ? undefined : { run: of(pid)?.cgroup ?? "" }),
		isUnmarked: () => isUnmarked,
	});
}

const LOST = {
	is: "stranger",
	reason:
		"its process cannot be told apart from one that a command of this run has left: use a terminal, or a process that has a living parent",
};

test.each([
	{
		title: "a person's shell that is older than the run",
		entries: [{ pid: 50, parent: 20 }],
		origin: { is: "outside", pid: 50 },
	},
	{
		title: "a login since then, below an older program",
		entries: [
			{ pid: 40, parent: 20 },
			{ pid: 50, parent: 40 },
		],
		origin: { is: "outside", pid: 50 },
	},
	{
		title: "docker exec, whose process has no parent here",
		entries: [
			{ pid: 40, parent: 0 },
			{ pid: 50, parent: 40 },
		],
		origin: { is: "outside", pid: 50 },
	},
	{
		title: "a child of PID 1 in its session",
		entries: [{ pid: 50, parent: 1, session: 1 }],
		origin: { is: "outside", pid: 50 },
	},
	{
		title: "the person that started the supervisor",
		entries: [{ pid: 50, parent: 20, startTime: "11" }],
		origin: { is: "outside", pid: 50 },
	},
	{
		title: "what the supervisor has started",
		entries: [{ pid: 50, parent: 30 }],
		origin: { is: "inside", agent: "1", pid: 50 },
	},
	{
		title: "a command of another run",
		entries: [
			{ pid: 40, parent: 20, cookie: "OTHER/1.2" },
			{ pid: 50, parent: 40 },
		],
		origin: { is: "stranger", reason: "it belongs to run OTHER" },
	},
	{
		title: "a process in another run's cgroup",
		entries: [{ pid: 50, parent: 20, cgroup: "OTHER" }],
		origin: { is: "stranger", reason: "it belongs to run OTHER" },
	},
	{ title: "an orphan that is younger than the run", entries: [{ pid: 50, parent: 1 }], origin: LOST },
	{
		title: "what an orphan has started",
		entries: [
			{ pid: 40, parent: 1 },
			{ pid: 50, parent: 40, session: 40 },
		],
		origin: LOST,
	},
	{
		title: "an orphan of a user's systemd",
		entries: [
			{ pid: 40, parent: 1, name: "systemd", startTime: "2" },
			{ pid: 50, parent: 40 },
		],
		origin: LOST,
	},
	{ title: "a process that is over", entries: [], origin: { is: "stranger", reason: "not there" } },
])("$title is $origin.is", ({ entries, origin }) => {
	expect(originIn(entries)).toEqual(origin);
});

test("an orphan with a terminal, or in another cgroup, is a person's", () => {
	expect(originIn([{ pid: 50, parent: 1 }], { isUnmarked: false })).toEqual({ is: "outside", pid: 50 });
});

test("what belongs to an agent is that agent's, wherever it is", () => {
	expect(originIn([{ pid: 50, parent: 1 }], { inside: "1.2" })).toEqual({ is: "inside", agent: "1.2", pid: 50 });
});
