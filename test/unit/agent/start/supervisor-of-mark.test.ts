import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { supervisorOfMark } from "../../../../src/agent/start/discover-supervisor.ts";
import { markOf } from "../../../../src/processes/run-mark.ts";

const RUN = "20261127-201530-k3f9";
const OWN = { pid: 20, uid: 7_777_777 };
const info = (pid: number) => ({
	...{ pid, parent: 1, group: pid, session: pid, startTime: "1", state: "S", name: "x" },
});

/** What process 20 finds, beside these others: `undefined` for an environment that may not be read. */
function found(marks: Record<string, string>, environments: Record<number, Record<string, string> | undefined> = {}) {
	const runtime = mkdtempSync(join(tmpdir(), "agentree-mark-"));
	onTestFinished(() => rmSync(runtime, { recursive: true }));
	mkdirSync(join(runtime, "agentree"));
	const table = {
		list: () => [20, ...Object.keys(environments).map(Number)].map(info),
		environment: (pid: number) => environments[pid],
	};
	const mark = (pid: number | "self") => (marks[pid] === undefined ? undefined : markOf(marks[pid]));
	const find = () => supervisorOfMark({ ...OWN, env: { XDG_RUNTIME_DIR: runtime } }, table, mark)?.socket;
	return { find, sockets: join(runtime, "agentree") };
}

test("a process without a mark belongs to no run, whoever else has one", () => {
	expect(found({ 30: RUN }, { 30: { AGENTREE_AGENT: RUN, AGENTREE_SOCKET: "/s" } }).find()).toBeUndefined();
});

test("the supervisor is found by another process with the mark, or by the name of its socket", () => {
	const agent = { AGENTREE_AGENT: RUN, AGENTREE_SOCKET: "/s" };
	expect(found({ self: RUN, 30: RUN }, { 30: agent }).find()).toBe("/s");
	const forged = { ...agent, AGENTREE_AGENT: "20261127-201530-aaaa" };
	expect(found({ self: RUN, 30: RUN }, { 30: forged }).find()).toBeUndefined();
	const { find, sockets } = found({ self: RUN });
	writeFileSync(join(sockets, "20261127-201530-aaaa.sock"), "");
	expect(find()).toBeUndefined();
	writeFileSync(join(sockets, `${RUN}.sock`), "");
	expect(find()).toBe(join(sockets, `${RUN}.sock`));
});

test("a process that a run has left behind may start another, unless that run may be hidden from it", () => {
	// Seen to fail without the second look: a pid namespace of a command, or another uid, was a way to a run of its own.
	expect(found({ self: RUN, 30: RUN }, { 30: {} }).find()).toBeUndefined();
	expect(found({ self: RUN, 1: RUN }).find()).toMatch(/agentree\/a-run\.sock$/);
	expect(found({ self: RUN, 30: RUN }, { 30: undefined }).find()).toMatch(/agentree\/a-run\.sock$/);
});
