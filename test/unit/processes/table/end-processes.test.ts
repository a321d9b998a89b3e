import { expect, test } from "vitest";
import { AgentreeError } from "../../../../src/core/errors.ts";
import { endProcesses } from "../../../../src/processes/table/end-processes.ts";
import { cheapTable, type ProcessInfo } from "../../../../src/processes/table/process-table.ts";

/** A table in which signals have effects, and waiting is counted. */
class FakeSystem {
	readonly signals: string[] = [];
	readonly processes = new Map<number, ProcessInfo>();
	waitedMs = 0;
	onSignal = (_pid: number, _signal: string) => {};
	onWait = () => {};

	add(pid: number, state = "S", { startTime = "1", name = `p${pid}` } = {}): void {
		this.processes.set(pid, { pid, startTime, parent: 1, group: pid, session: pid, state, name });
	}
	setState(pid: number, state: string): void {
		const info = this.processes.get(pid);
		if (info !== undefined) this.processes.set(pid, { ...info, state });
	}
	table = cheapTable({
		list: () => this.find(),
		read: (pid) => this.processes.get(pid),
		environment: () => undefined,
	});
	find = () => [...this.processes.values()].filter(({ state }) => state !== "Z");
	kill = (pid: number, signal: string) => {
		this.signals.push(`${signal.slice(3)} ${pid}`);
		if (signal === "SIGSTOP") this.setState(pid, "T");
		if (signal === "SIGKILL") this.processes.delete(pid);
		this.onSignal(pid, signal);
	};
	wait = async (ms: number) => {
		this.waitedMs += ms;
		this.onWait();
	};
	end(graceMs: number) {
		return endProcesses({ find: this.find, table: this.table, graceMs, kill: this.kill, wait: this.wait });
	}
}

test("with nothing to end there is no signal and no wait", async () => {
	const system = new FakeSystem();
	expect(await system.end(3_000)).toEqual([]);
	expect([system.signals, system.waitedMs]).toEqual([[], 0]);
});

test("processes that obey SIGTERM get no other signal, and the rest of the grace is not waited for", async () => {
	const system = new FakeSystem();
	system.add(10);
	system.add(11);
	system.onWait = () => system.processes.clear();
	expect(await system.end(3_000)).toEqual([]);
	expect(system.signals).toEqual(["TERM 10", "TERM 11"]);
	expect(system.waitedMs).toBeLessThan(50);
});

test("what ignores SIGTERM is frozen after the grace, then killed", async () => {
	const system = new FakeSystem();
	system.add(10);
	expect(await system.end(3_000)).toEqual([]);
	expect(system.signals).toEqual(["TERM 10", "STOP 10", "KILL 10"]);
	expect(system.waitedMs).toBeGreaterThanOrEqual(3_000);
	expect(system.waitedMs).toBeLessThan(3_050);
});

test("what a whole sandbox would end with is not asked to end, and is killed with the rest after the grace", async () => {
	const system = new FakeSystem();
	system.add(10, "S", { name: "bwrap" });
	system.add(11);
	expect(await system.end(3_000)).toEqual([]);
	expect(system.signals).toEqual(["TERM 11", "STOP 10", "STOP 11", "KILL 10", "KILL 11"]);
});

test("without grace there is no SIGTERM", async () => {
	const system = new FakeSystem();
	system.add(10);
	expect(await system.end(0)).toEqual([]);
	expect(system.signals).toEqual(["STOP 10", "KILL 10"]);
	expect(system.waitedMs).toBeLessThan(50);
});

test("a process that may not be signaled is named as a survivor, and nobody waits for its end", async () => {
	// Seen to fail with EPERM ignored: the grace and 2 s more are waited for at every end of an agent above it.
	const system = new FakeSystem();
	system.add(10);
	system.add(11);
	const { kill } = system;
	system.kill = (pid, signal) => {
		if (pid === 10) throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
		kill(pid, signal);
	};
	system.onWait = () => system.processes.delete(11);
	expect(await system.end(3_000)).toEqual([{ pid: 10, startTime: "1" }]);
	expect([system.signals, system.waitedMs < 50]).toEqual([["TERM 11"], true]);
	system.add(12);
	expect(await system.end(0)).toEqual([{ pid: 10, startTime: "1" }]);
	expect(system.signals.slice(1)).toEqual(["STOP 12", "KILL 12"]);
});

test("a process that appears during the grace is asked once, too", async () => {
	const system = new FakeSystem();
	system.add(10);
	system.onWait = () => system.waitedMs < 20 && system.add(11);
	await system.end(100);
	expect(system.signals).toEqual(["TERM 10", "TERM 11", "STOP 10", "STOP 11", "KILL 10", "KILL 11"]);
});

test("nothing is killed before a look at frozen processes finds no new one", async () => {
	const system = new FakeSystem();
	system.add(10);
	system.onSignal = (pid, signal) => {
		if (signal === "SIGSTOP" && pid < 13) system.add(pid + 1); // forked just before it was stopped
	};
	expect(await system.end(0)).toEqual([]);
	expect(system.signals).toEqual([
		...["STOP 10", "STOP 11", "STOP 12", "STOP 13"],
		...["KILL 10", "KILL 11", "KILL 12", "KILL 13"],
	]);
});

test("a process that was found once is still ended when `find` does not name it any more", async () => {
	const system = new FakeSystem();
	system.add(10);
	system.add(11);
	let looks = 0;
	const find = () => (looks++ === 0 ? system.find() : []);
	expect(await endProcesses({ ...system, find, graceMs: 50, table: system.table })).toEqual([]);
	expect(system.signals).toContain("KILL 11");
});

test("a pid that another process has got between look and signal gets no signal", async () => {
	const system = new FakeSystem();
	system.add(10, "S", { startTime: "2" });
	const old: ProcessInfo = { pid: 10, startTime: "1", parent: 1, group: 10, session: 10, state: "S", name: "old" };
	expect(await endProcesses({ ...system, find: () => [old], graceMs: 50, table: system.table })).toEqual([]);
	expect(system.signals).toEqual([]);
});

test("a pid that another process gets while others are being signaled gets no signal", async () => {
	const system = new FakeSystem();
	system.add(10);
	system.add(11);
	const both = system.find();
	system.onSignal = () => system.add(11, "S", { startTime: "2" });
	await endProcesses({ ...system, find: () => both, graceMs: 50, table: system.table });
	expect(system.signals).toEqual(["TERM 10", "STOP 10", "KILL 10"]);
});

test("pid 1 and this very process get no signal, whatever find says", async () => {
	const system = new FakeSystem();
	system.add(1);
	system.add(process.pid);
	await system.end(10);
	expect(system.signals).toEqual([]);
});

test("survivors are reported after a bounded wait", async () => {
	const system = new FakeSystem();
	system.add(10, "D");
	const kill = (pid: number, signal: string) => void system.signals.push(`${signal.slice(3)} ${pid}`);
	const survivors = await endProcesses({ ...system, find: system.find, kill, graceMs: 100, table: system.table });
	expect(survivors).toEqual([{ pid: 10, startTime: "1" }]);
	expect(system.signals).toEqual(["TERM 10", "STOP 10", "KILL 10"]);
	expect(system.waitedMs).toBeLessThan(3_000);
});

test("a signal that cannot be sent ends nothing else", async () => {
	const system = new FakeSystem();
	system.add(10);
	system.add(11);
	const kill = (pid: number, signal: string) => {
		if (pid === 10) throw Object.assign(new Error("not permitted"), { code: "EPERM" });
		system.kill(pid, signal);
	};
	const survivors = await endProcesses({ ...system, find: system.find, kill, graceMs: 0, table: system.table });
	expect(survivors).toEqual([{ pid: 10, startTime: "1" }]);
});

test("a zombie counts as ended", async () => {
	const system = new FakeSystem();
	system.add(10);
	system.onSignal = (pid) => system.setState(pid, "Z");
	expect(await system.end(3_000)).toEqual([]);
	expect(system.signals).toEqual(["TERM 10"]);
});

test("where looks are slow, the grace is over by the clock, and waits are as long as a look", async () => {
	// Seen to fail with the looks not counted: 3 s of steps, and 30 looks of 200 ms between them.
	const system = new FakeSystem();
	system.add(10);
	let looks = 0;
	let lookedMs = 0;
	const find = () => {
		looks++;
		lookedMs += 200;
		return system.find();
	};
	const now = () => system.waitedMs + lookedMs;
	let killedAt = 0;
	const kill = (pid: number, signal: string) => {
		if (signal === "SIGKILL") killedAt = now();
		system.kill(pid, signal);
	};
	expect(await endProcesses({ ...system, find, kill, now, graceMs: 3_000, table: system.table })).toEqual([]);
	expect(system.signals).toEqual(["TERM 10", "STOP 10", "KILL 10"]);
	expect([killedAt <= 4_200, looks <= 14]).toEqual([true, true]);
});

test("each round takes a fresh look, and when that fails, one that blocks", async () => {
	const system = new FakeSystem();
	system.add(10);
	const seen: string[] = [];
	const lookNamed = (name: string) => ({ ...system.table.look(), name });
	const find = (look: object) => {
		seen.push("name" in look ? String(look.name) : "");
		return system.find();
	};
	let asked = 0;
	const freshLook = async () => {
		if (asked++ === 0) throw new Error("EAGAIN");
		return lookNamed("fresh");
	};
	const table = { ...system.table, look: () => lookNamed("blocking"), freshLook };
	expect(await endProcesses({ ...system, find, graceMs: 0, table })).toEqual([]);
	expect(seen).toEqual(["blocking", ...Array(asked - 1).fill("fresh")]);
});

/** A look that fails as in a fork bomb, which leaves no process for ps. */
const cannotLook = () => {
	throw new AgentreeError("not_started", "cannot read the process table: spawnSync /bin/ps EAGAIN");
};

test("while looks fail, what is known is killed without one; what a later look finds is ended, too", async () => {
	// Seen to fail without `orBlind`: it rejects, and all processes live on.
	const system = new FakeSystem();
	system.add(10);
	system.add(11);
	let unseen = 0;
	const killUnseen = () => {
		unseen += 1;
		system.processes.delete(10);
	};
	const find = () => (unseen < 3 ? cannotLook() : system.find());
	expect(await endProcesses({ ...system, find, killUnseen, graceMs: 0, table: system.table })).toEqual([]);
	expect([unseen, system.signals]).toEqual([3, ["STOP 11", "KILL 11"]]);
});

test("when looks fail for good, the processes last seen are named, after a bounded wait; within the grace none is killed", async () => {
	const system = new FakeSystem();
	system.add(10);
	let looks = 0;
	const find = () => (looks++ === 0 ? system.find() : cannotLook());
	const killUnseen = () => system.signals.push(`unseen after ${system.waitedMs >= 3_000}`);
	expect(await endProcesses({ ...system, find, killUnseen, graceMs: 3_000, table: system.table })).toEqual([
		{ pid: 10, startTime: "1" },
	]);
	expect([...new Set(system.signals)]).toEqual(["TERM 10", "unseen after true"]);
	expect(system.waitedMs).toBeLessThan(8_000);
});

test("without `killUnseen` a failed look is thrown; a bug is never taken for a failed look", async () => {
	const bug = () => {
		throw new TypeError("a bug");
	};
	const system = new FakeSystem();
	const request = { table: system.table, graceMs: 0 };
	await expect(endProcesses({ ...request, find: cannotLook })).rejects.toThrow("EAGAIN");
	await expect(endProcesses({ ...request, find: bug, killUnseen: () => {} })).rejects.toThrow("a bug");
});
