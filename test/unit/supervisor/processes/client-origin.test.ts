import { expect, test } from "vitest";
import type { ProcessInfo } from "../../../../src/processes/table/process-table.ts";
import { type Belonging, clientOrigin } from "../../../../src/supervisor/processes/whose-is.ts";

type Entry = { pid: number; parent: number; cookie?: string; cgroup?: string; isMarked?: true };

const infoOf = ({ pid, parent }: Entry): ProcessInfo => {
	return { pid, parent, group: pid, session: pid, state: "S", name: "x", startTime: "200" };
};

/** PID 1, a person's shell, the supervisor, and what is given; the client is process 50. */
function originIn(entries: readonly Entry[], found: Partial<Extract<Belonging, { is: "inside" }>> = {}) {
	const all = [{ pid: 1, parent: 0 }, { pid: 20, parent: 1 }, { pid: 30, parent: 20 }, ...entries];
	const of = (pid: number) => all.find((entry): entry is Entry => entry.pid === pid);
	const client = of(50);
	const belonging = (): Belonging => {
		if (client === undefined) return { is: "gone", reason: "not there" };
		const info = infoOf(client);
		return found.agent === undefined
			? { is: "outside", reason: "r", info }
			: { is: "inside", agent: found.agent, ...found, info };
	};
	return clientOrigin(belonging(), {
		look: {
			list: () => [],
			read: (pid) => {
				const entry = of(pid);
				return entry === undefined ? undefined : infoOf(entry);
			},
			environment: (pid) => ({ ...(of(pid)?.cookie && { AGENTREE_AGENT: of(pid)?.cookie ?? "" }) }),
		},
		run: "R",
		supervisorPid: 30,
		cgroupOf: (pid) => (of(pid)?.cgroup === undefined ? undefined : { run: of(pid)?.cgroup ?? "", agent: "1" }),
		hasOtherMark: (pid) => of(pid)?.isMarked === true,
	});
}

const PERSON = { is: "outside", pid: 50 };

test.each([
	{ title: "a person", entries: [{ pid: 50, parent: 20 }], origin: PERSON },
	{ title: "a person's program that has left its terminal", entries: [{ pid: 50, parent: 1 }], origin: PERSON },
	{ title: "docker exec, whose process has no parent here", entries: [{ pid: 50, parent: 0 }], origin: PERSON },
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
		origin: {
			is: "stranger",
			reason: "an agent cannot act on another run: it belongs to run OTHER, and this is run R",
		},
	},
	{
		title: "a process in another run's cgroup",
		entries: [{ pid: 50, parent: 20, cgroup: "OTHER" }],
		origin: {
			is: "stranger",
			reason: "an agent cannot act on another run: it belongs to run OTHER, and this is run R",
		},
	},
	{
		title: "a process with another run's mark",
		entries: [{ pid: 50, parent: 1, isMarked: true as const }],
		origin: {
			is: "stranger",
			reason: "an agent cannot act on another run: it belongs to another run, and this is run R",
		},
	},
	{ title: "a process that is over", entries: [], origin: { is: "stranger", reason: "not there" } },
])("a client outside of the tree: $title", ({ entries, origin }) => {
	expect(originIn(entries)).toEqual(origin);
});

test("a client inside of the tree is the agent at its place", () => {
	const found = { agent: "1.2", place: "1.2" };
	expect(originIn([{ pid: 50, parent: 40 }], found)).toEqual({ is: "inside", agent: "1.2", pid: 50 });
});

// Seen to fail with the agent that its cookie names: a command of 1.2 stops 1.1 in the name of 1.
test("one that has left its place has no rights, whatever agent its environment names", () => {
	expect(originIn([{ pid: 50, parent: 1 }], { agent: "1" })).toEqual({
		is: "stranger",
		reason: "it is inside the run but detached from its agent (setsid, double fork): run it in the agent's own bash",
	});
});
