/** The reaper where nobody can look: it ends what it knows without a look, and never fails. */
import { expect, test } from "vitest";
import { AgentreeError } from "../../../../src/core/errors.ts";
import { createTerminator } from "../../../../src/supervisor/processes/terminator.ts";
import { commandStarted, joined, runOf } from "../../core/run-of.ts";

const cannotLook = () => {
	throw new AgentreeError("not_started", "cannot look at the processes of this system: spawnSync /bin/ps EAGAIN");
};

function blindReaper() {
	const killed: number[] = [];
	const run = runOf(joined("1"), joined("1.1"), commandStarted("1", 1), commandStarted("1.1", 2));
	const commandByPid = new Map([
		[201, { agent: "1", command: 1, startTime: "9" }],
		[202, { agent: "1.1", command: 2, startTime: "9" }],
		[203, { agent: "1.1", command: 7, startTime: "9" }], // over: its number may be another's
	]);
	const table = { list: cannotLook, read: cannotLook, environment: cannotLook };
	const kill = (pid: number) => void killed.push(pid);
	return { killed, terminator: createTerminator({ table, run: () => run, commandByPid, kill }) };
}

test("a strike kills the groups of the running commands of the agent and all below it, and no others", () => {
	const { killed, terminator } = blindReaper();
	terminator.killNow("1.1");
	expect(killed).toEqual([-202]);
	terminator.killNow("1");
	expect(killed).toEqual([-202, -201, -202]);
});

test("a reap that can never look strikes, ends, and rejects not; a look gives nothing", async () => {
	// Seen to fail without `killUnseen`: it rejects, which ends the supervisor.
	const { killed, terminator } = blindReaper();
	expect(await terminator.end("1.1", { isGone: false, graceMs: 0 })).toEqual([]);
	expect(new Set(killed)).toEqual(new Set([-202]));
	expect(terminator.look("1")).toEqual([]);
}, 20_000);
