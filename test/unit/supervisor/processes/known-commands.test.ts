import { expect, test } from "vitest";
import type { Owned } from "../../../../src/processes/table/belonging.ts";
import type { ProcessInfo } from "../../../../src/processes/table/process-table.ts";
import { KnownCommands } from "../../../../src/supervisor/processes/run-processes.ts";

const info = (pid: number, more: Partial<ProcessInfo> = {}): ProcessInfo => ({
	...{ pid, parent: 1, session: pid, group: pid, startTime: "100", state: "S", name: "x" },
	...more,
});
const TOLD = { agent: "1.1", command: 4, pid: 20, startTime: "100" };
const KNOWN = { agent: "1.1", command: 4, startTime: "100" };

function proven(shell: ProcessInfo, owner: string | undefined) {
	const commands = new KnownCommands();
	commands.prove(TOLD, shell, owner);
	return commands.at(20);
}

/** The command after a look at these processes, when its shell was over before. */
function settled(...owned: Owned[]) {
	const commands = new KnownCommands();
	commands.doubt(TOLD);
	const isNew = commands.settle(
		owned.map(({ info }) => info),
		owned,
	);
	return [isNew, commands.at(20)];
}

test("a command is known by a shell that leads its session and belongs to the agent itself", () => {
	expect(proven(info(20), "1.1")).toEqual(KNOWN);
	for (const owner of [undefined, "1", "1.1.1", "1.2"]) expect(proven(info(20), owner)).toBeUndefined();
	expect(proven(info(20, { session: 19 }), "1.1")).toBeUndefined();
	expect(proven(info(20, { startTime: "101" }), "1.1")).toBeUndefined();
});

test("a command whose shell is over is known when a process of its session belongs to the agent by something else", () => {
	// Seen to fail with any process of the session taken for it: a stranger's session is ended with the agent.
	const left = info(30, { session: 20 });
	expect(settled({ info: left, owner: "1.1" })).toEqual([true, KNOWN]);
	expect(settled({ info: left, owner: "1.1.2" })).toEqual([true, KNOWN]);
	for (const owner of [undefined, "1", "1.2"]) expect(settled({ info: left, owner })).toEqual([false, undefined]);
});

test("a later process with the shell's pid is not the shell, and its session is its own", () => {
	const later = info(20, { startTime: "200" });
	const below = info(30, { session: 20 });
	expect(settled({ info: later, owner: "1.1" }, { info: below, owner: "1.1" })).toEqual([false, undefined]);
});

test("a command of which nothing lives any more is forgotten by a look that is later than the command", () => {
	// Seen to fail without it: the session of a later process with that pid would be the command's.
	const commands = new KnownCommands();
	commands.prove(TOLD, info(20), "1.1");
	commands.settle([info(10, { startTime: "100" })], []);
	expect(commands.at(20)).toEqual(KNOWN); // that look may have been before it
	commands.settle([info(30, { session: 20, startTime: "300" })], []);
	expect(commands.at(20)).toEqual(KNOWN);
	commands.settle([info(10, { startTime: "300" })], []);
	expect(commands.at(20)).toBeUndefined();
});
