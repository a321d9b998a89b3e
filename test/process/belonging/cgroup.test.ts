/** A process that has lost environment, session and ancestors is still its agent's, where there are cgroups. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test, vi } from "vitest";
import { cgroupMembershipOf, makeCgroup } from "../../../src/processes/cgroups/cgroup.ts";
import { startRunCgroup } from "../../../src/processes/cgroups/run-cgroup.ts";
import { hasEnded, procTable } from "../../../src/processes/table/process-table.ts";
import { WAIT } from "../../wait.ts";
import { AGENT_PROGRAM, type Program, runProgram, startProgram } from "../program.ts";
import { IS_SANDBOXED, pidHere, skippedInside } from "../sandboxed.ts";

/** A run id that no run has, and no other process that runs tests. */
const nameOf = (number: number) => `20261127-20153${number}-${process.pid.toString(36)}`;
const trial = makeCgroup(nameOf(1));
const PARENT = trial.is === "made" ? dirname(trial.cgroup.path) : undefined;
if (trial.is === "made") trial.cgroup.remove();
const WHY_NOT = trial.is === "made" ? "" : ` (skipped: ${trial.reason})`;
const testWithCgroup = test.skipIf(PARENT === undefined);

const livesNot = (pid: number) => {
	const info = procTable.read(pid);
	return info === undefined || hasEnded(info);
};

function endAfterTest(pid: number, name: string): void {
	onTestFinished(() => {
		if (!livesNot(pid) && procTable.read(pid)?.name === name) process.kill(pid, "SIGKILL");
	});
}

testWithCgroup(`a group holds what a process in it starts, ends it at once, and goes away${WHY_NOT}`, async () => {
	const made = makeCgroup(nameOf(2));
	if (made.is !== "made") throw new Error(made.reason);
	const { cgroup } = made;
	onTestFinished(() => void cgroup.remove());
	const shell = execa({ reject: false })`bash -c ${"read -r; (setsid sleep 619 & echo $!); read -r"}`;
	const pid = shell.pid as number;
	endAfterTest(pid, "bash");
	expect(cgroup.add(pid)).toBe(true);
	shell.stdin?.write("go\n");
	const [chunk] = (await new Promise((resolve) => shell.stdout?.once("data", (data) => resolve([data])))) as [Buffer];
	const daemon = Number(chunk.toString());
	endAfterTest(daemon, "sleep");
	expect(cgroup.pids()).toEqual(expect.arrayContaining([pid, daemon]));
	expect(cgroupMembershipOf(daemon)?.run).toBe(nameOf(2));
	expect(cgroupMembershipOf(process.pid)).toBeUndefined();
	expect(cgroup.kill()).toBe(true);
	await shell;
	await vi.waitFor(() => expect(cgroup.pids()).toEqual([]), WAIT);
	cgroup.remove();
	expect(existsSync(cgroup.path)).toBe(false);
	expect([cgroup.pids(), cgroup.add(process.pid), cgroup.kill()]).toEqual([[], false, false]);
});

testWithCgroup(`an agent's group is told apart from those above and below it${WHY_NOT}`, async () => {
	const sleepers = [0, 1, 2].map(() => execa({ reject: false })`sleep 618`);
	const [root = 0, child = 0, leaf = 0] = sleepers.map(({ pid = 0 }) => pid);
	for (const pid of [root, child, leaf]) endAfterTest(pid, "sleep");
	await startRunCgroup(nameOf(3), child);
	const groups = await startRunCgroup(nameOf(3), root); // as a resumed run does; seen to fail: EEXIST
	if (groups === undefined) throw new Error("it can be made for others");
	onTestFinished(() => groups.remove());
	const path = join(PARENT ?? "", `agentree-${nameOf(3)}`);
	for (const [agent, pid] of [["1.1", child] as const, ["1.1.1", leaf] as const, ["1.10", undefined] as const]) {
		groups.add(agent);
		mkdirSync(join(path, agent)); // as the agent does
		if (pid !== undefined) writeFileSync(join(path, agent, "cgroup.procs"), String(pid));
	}
	const sorted = (pids: number[]) => pids.sort((a, b) => a - b);
	expect(["1", "1.1", "1.1.1", "1.10"].map((agent) => sorted(groups.pids(agent)))).toEqual(
		[[root, child, leaf], [child, leaf], [leaf], []].map(sorted),
	);
	expect([root, child, leaf].map((pid) => [groups.owners().get(pid), cgroupMembershipOf(pid)?.agent])).toEqual(
		["1", "1.1", "1.1.1"].map((agent) => [agent, agent]),
	);
	expect(groups.kill("1.1", child)).toBe(true);
	await sleepers[2];
	expect([livesNot(root), livesNot(child), groups.pids("1.1")]).toEqual([false, false, []]);
	for (const agent of ["1.1", "1.1.1", "1.10", "1"]) groups.markOver(agent);
	await vi.waitFor(async () => {
		await groups.removeOver((agent) => agent !== "1");
		expect(readdirSync(path).filter((name) => name.startsWith("1"))).toEqual(["1"]); // a process lives in it
	}, WAIT);
	expect(groups.kill("1", undefined)).toBe(true);
	await Promise.all(sleepers);
	await vi.waitFor(() => expect([groups.remove(), existsSync(path)]).toEqual([undefined, false]), WAIT);
});

test("a directory that is no cgroup is left as it was, and told", () => {
	const point = mkdtempSync(join(tmpdir(), "agentree-cgroup-"));
	onTestFinished(() => rmSync(point, { recursive: true }));
	writeFileSync(join(point, "file"), "");
	const mountinfo = `30 23 0:26 / ${point} rw - cgroup2 cgroup2 rw\n`;
	expect(makeCgroup("20261127-201532-test", { cgroup: "0::/\n", mountinfo })).toEqual({
		is: "impossible",
		reason: `${point} is not a cgroup`,
	});
	expect(readdirSync(point)).toEqual(["file"]);
});

/** In a session of its own, with an environment that says nothing; when `line` is reached its parents are gone. */
const lost = (line: string) =>
	`setsid env -i HOME="$HOME" "$BASH" -c '(while [ -e /proc/$$ ]; do :; done; ${line}) &' </dev/null >/dev/null 2>&1 & wait`;

testWithCgroup(`a daemon that has lost everything ends with the run, and so does its group${WHY_NOT}`, async () => {
	// Seen to fail with `withCgroupMembers` giving only the processes that were found otherwise.
	const daemon = lost("echo $BASHPID > pid; exec sleep 620");
	const program = startProgram([
		"run",
		"--model",
		"shell",
		`${daemon}; until [ -s pid ]; do sleep 0.02; done; until [ -e go ]; do sleep 0.02; done`,
	]);
	const pid = await vi.waitFor(() => daemonOf(program), WAIT);
	writeFileSync(join(program.home, "go"), "");
	const { code } = await program.ended;
	endAfterTest(pid, "sleep");
	expect([code, pid > 1, livesNot(pid)]).toEqual([0, true, true]);
	expect(program.events().at(-1)).toMatchObject({ event: "run_ended", survivors: [] });
	expect(existsSync(join(PARENT ?? "", `agentree-${basename(await program.runDirectory())}`))).toBe(false);
});

/** The pid, here, of the process that has written the file `pid`. */
function daemonOf(program: Program): number {
	const pid = pidHere(Number(textOf(program, "pid")), program.home);
	if (pid === undefined) throw new Error("it is not there yet");
	return pid;
}

testWithCgroup(`agent run by a process that has lost everything is a child of the root${WHY_NOT}`, async () => {
	// Seen to fail with `supervisorOfCgroup` left out: a new root; with the cgroup left out of `resolveParent`: refused.
	const agent = lost(
		`${process.execPath} ${AGENT_PROGRAM} run --model shell "echo counted" > out 2>&1; echo $? > code`,
	);
	const program = startProgram([
		...["run", "--model", "shell", `${agent}; until [ -s code ]; do sleep 0.02; done; cat out code`],
	]);
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString()]).toEqual([0, "counted\n0\n"]);
	expect(program.events().flatMap((event) => (event.event === "agent_joined" ? [event.agent] : []))).toEqual([
		...["1", "1.1"],
	]);
	expect(existsSync(join(program.home, ".local/state/agentree/runs"))).toBe(false);
});

const groupOf = async (program: Program) => join(PARENT ?? "", `agentree-${basename(await program.runDirectory())}`);
const textOf = (program: Program, file: string) => readFileSync(join(program.home, file), "utf8");

/** Agent 1.1 runs `child`, and agent 1 goes on after it until there is a file `go`. */
function startMiddle(child: string): Program {
	return startProgram(
		["run", "--model", "shell", 'agent "$CHILD" >answer; touch answered; until [ -e go ]; do sleep 0.02; done'],
		{ env: { CHILD: child } },
	);
}

testWithCgroup(
	`what agent 1.1 has lost altogether is its child, and ends with it while agent 1 goes on${WHY_NOT}`,
	async () => {
		// Seen to fail with `admitted` making no cgroup: the daemon lives until the run's end, and the child is 1.2.
		const agent = lost(`${process.execPath} ${AGENT_PROGRAM} run -m shell 'echo x' >out 2>&1; echo $? >code`);
		const program = startMiddle(
			`${lost("echo $BASHPID > pid; exec sleep 617")}; until [ -s seen ]; do sleep 0.02; done; ${agent.replaceAll("'echo x'", '"echo x"')}; until [ -s code ]; do sleep 0.02; done; cat out code`,
		);
		const daemon = await vi.waitFor(() => daemonOf(program), WAIT);
		writeFileSync(join(program.home, "seen"), "x");
		await vi.waitFor(() => expect(existsSync(join(program.home, "answered"))).toBe(true), WAIT);
		endAfterTest(daemon, "sleep");
		expect([daemon > 1, livesNot(daemon), textOf(program, "answer")]).toEqual([true, true, "x\n0\n"]);
		const events = program.events();
		expect(events.flatMap((event) => (event.event === "agent_joined" ? [event.agent] : []))).toEqual([
			"1",
			"1.1",
			"1.1.1",
		]);
		expect(events.flatMap((event) => (event.event === "agent_ended" ? [event.agent] : []))).toEqual(["1.1.1", "1.1"]);
		writeFileSync(join(program.home, "go"), "");
		expect((await program.ended).code).toBe(0);
		expect(existsSync(await groupOf(program))).toBe(false);
	},
);

testWithCgroup(
	`an agent that loses its supervisor ends what is in its own group; the next run takes the groups away${WHY_NOT}`,
	async () => {
		// Seen to fail with the cgroup left out of `endOwnProcesses`; and without `removeGroupOf` the cgroups stay.
		const program = startMiddle(`${lost("echo $BASHPID > pid; exec sleep 616")}; sleep 300`);
		const daemon = await vi.waitFor(() => daemonOf(program), WAIT);
		endAfterTest(daemon, "sleep");
		const [root = 0, middle = 0] = program
			.events()
			.flatMap((event) => (event.event === "agent_joined" ? [event.pid] : []));
		process.kill(root, "SIGSTOP"); // else it would end the whole run
		program.kill("SIGKILL");
		await vi.waitFor(() => expect([livesNot(daemon), livesNot(middle)]).toEqual([true, true]), WAIT);
		expect(livesNot(root)).toBe(false);
		process.kill(root, "SIGKILL");
		await program.ended;
		const group = await groupOf(program);
		expect(existsSync(group)).toBe(true);
		expect(await runProgram(["run", "--model", "shell", "true"], { home: program.home })).toMatchObject({ exit: 0 });
		expect(existsSync(group)).toBe(false);
	},
);

testWithCgroup(`the group is believed before an environment that names another run${WHY_NOT}`, async () => {
	// Seen to fail when discoverSupervisor took the ancestors' address: out of reach, and beside a living run its child.
	const forged = 'AGENTREE_SOCKET="$PWD/20261127-201530-aaaa.sock" AGENTREE_AGENT=20261127-201530-aaaa/1';
	const agent = `${forged} setsid -f agent run --model shell 'echo $AGENTREE_AGENT' >out 2>&1 </dev/null`;
	const task = `${agent}; until [ -s out ]; do sleep 0.02; done; cat out`;
	const program = startProgram(["run", "--model", "shell", task]);
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString()]).toEqual([0, `${basename(await program.runDirectory())}/1.1\n`]);
});

test("on Windows one line says to use WSL", async () => {
	const program = startProgram(["run", "--model", "shell", "true"], {
		env: { NODE_OPTIONS: `--import=${WINDOWS}` },
	});
	const { code, stdout, stderr } = await program.ended;
	expect([code, stdout.toString(), stderr.toString()]).toEqual([2, "", "agent: agentree needs a Unix: use WSL\n"]);
});

const WINDOWS = "data:text/javascript,Object.defineProperty(process,'platform',{value:'win32'})";

testWithCgroup(`an agent is alone when its own group holds nothing else, nor those below it${WHY_NOT}`, async () => {
	const sleepers = [0, 1, 2].map(() => execa({ reject: false })`sleep 619`);
	const [root = 0, child = 0, leaf = 0] = sleepers.map(({ pid = 0 }) => pid);
	for (const pid of [root, child, leaf]) endAfterTest(pid, "sleep");
	const groups = await startRunCgroup(nameOf(4), root);
	if (groups === undefined) throw new Error("it can be made for others");
	onTestFinished(() => groups.remove());
	const pathOf = (agent: string) => join(PARENT ?? "", `agentree-${nameOf(4)}`, agent);
	for (const agent of ["1.1", "1.1.1"]) {
		groups.add(agent);
		expect(groups.isAlone(agent, child)).toBe(false); // it has not made its cgroup
		mkdirSync(pathOf(agent)); // as the agent does
	}
	const enter = (agent: string, pid: number) => writeFileSync(join(pathOf(agent), "cgroup.procs"), String(pid));
	expect(groups.isAlone("1.1", child)).toBe(false); // it has not entered its cgroup
	enter("1.1", child);
	expect(groups.isAlone("1.1", child)).toBe(true);
	enter("1.1.1", leaf);
	expect(groups.isAlone("1.1", child)).toBe(false);
	enter("1.1", leaf);
	expect([groups.isAlone("1.1", child), groups.isAlone("1.1.1", leaf)]).toEqual([false, false]);
	expect(groups.kill("1", undefined)).toBe(true);
	await Promise.all(sleepers);
});

test.skipIf(PARENT === undefined || IS_SANDBOXED)(
	`what has left its agent's group by itself ends soon after the agent, while agent 1 goes on${WHY_NOT || skippedInside("cgroups are read-only")}`,
	async () => {
		// Seen to fail with `sweepSoon` left out: the process lives until the end of the run.
		const leaver = `echo $BASHPID > ${join(PARENT ?? "", "cgroup.procs")} && echo $BASHPID > pid && exec setsid sleep 615`;
		const program = startMiddle(`(${leaver}) </dev/null >/dev/null 2>&1 & until [ -s pid ]; do sleep 0.02; done`);
		await vi.waitFor(() => expect(existsSync(join(program.home, "answered"))).toBe(true), WAIT);
		const left = Number(textOf(program, "pid"));
		endAfterTest(left, "sleep");
		await vi.waitFor(() => expect(livesNot(left)).toBe(true), WAIT);
		expect(program.events().at(-1)).not.toMatchObject({ event: "run_ended" });
		writeFileSync(join(program.home, "go"), "");
		expect((await program.ended).code).toBe(0);
	},
);
