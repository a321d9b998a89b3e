import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { livesNot, makeDirectory, PROGRAMS, run, start, timed } from "./bash-command.ts";

test("at the timeout the output so far is kept and the result says what happened", async () => {
	const [result, ms] = await timed(run("echo before; sleep 300", { timeoutMs: 300 }));
	expect(result.end).toEqual({ by: "timeout", afterMs: 300 });
	expect(result.text).toMatch(
		/^before\n\[timed out after 0.3 s\]\n\[for more time, set "timeout" up to 600; run a server [^\n]+\]$/,
	);
	expect(ms).toBeLessThan(30_000);
});

test("a command that ignores SIGTERM gets the grace and is then killed, with all of its processes", async () => {
	const command = "trap '' TERM; sleep 300 & echo $!; while :; do sleep 0.05; done";
	const [result, ms] = await timed(run(command, { timeoutMs: 300, limits: { graceMs: 400 } }));
	expect(result.end).toEqual({ by: "timeout", afterMs: 300 });
	expect(ms).toBeGreaterThan(650);
	expect(ms).toBeLessThan(30_000);
	expect(livesNot(Number.parseInt(result.text, 10))).toBe(true);
});

test("SIGTERM comes first, so that a command can clean up; what it prints then is kept, and the timeout stays the cause", async () => {
	const result = await run("trap 'echo cleaned; exit 0' TERM; echo on; while :; do sleep 0.05; done", {
		timeoutMs: 300,
	});
	expect(result.text).toMatch(/^on\n(Terminated\n)?cleaned\n\[timed out after 0.3 s\]\n/);
});

test("descendants that left the session and their parent are found by their cookie at the timeout", async () => {
	const result = await run(`node ${PROGRAMS}/leaves-orphan.js; sleep 300`, { timeoutMs: 1_500 });
	const pid = Number.parseInt(result.text, 10);
	expect(pid).toBeGreaterThan(1);
	expect(livesNot(pid)).toBe(true);
});

test("an orphan in another session is named when the command ends by itself, and lives on", async () => {
	const result = await run(`node ${PROGRAMS}/leaves-orphan.js`);
	const pid = Number.parseInt(result.text, 10);
	expect(result.leftRunning).toEqual([{ pid, name: "sleep" }]);
	expect(livesNot(pid)).toBe(false);
});

test("the end of one command leaves the processes of the agent's other commands alone", async () => {
	const agentDirectory = makeDirectory();
	const ended = start("setsid sleep 300 & wait", { agentDirectory, number: 1 });
	await ended.started;
	const spared = start("setsid sleep 300 & echo $!; wait", { agentDirectory, number: 2 });
	await spared.started;
	const pid = await vi.waitFor(() => {
		const printed = Number.parseInt(readFileSync(join(agentDirectory, "out/0002.log"), "utf8"), 10);
		expect(printed).toBeGreaterThan(1);
		return printed;
	});
	ended.stop("enough");
	await ended.ended;
	expect(livesNot(pid)).toBe(false);
	spared.stop("enough");
	await spared.ended;
	expect(livesNot(pid)).toBe(true);
});

test("while its clock is held a command is not timed out; afterwards the rest of its time runs", async () => {
	const running = start("sleep 300", { timeoutMs: 200 });
	running.holdClock(true);
	await running.started;
	const isOver = await Promise.race([
		running.ended.then(() => true),
		run("sleep 0.6").then(() => false), // three times its timeout
	]);
	expect(isOver).toBe(false);
	running.holdClock(false);
	expect((await running.ended).end).toEqual({ by: "timeout", afterMs: 200 });
});

test("a stopped command ends with the reason and what it had printed", async () => {
	const running = start("echo here; sleep 300");
	await running.started;
	await vi.waitFor(() => expect(readFileSync(join(running.directory, "out/0001.log"), "utf8")).toBe("here\n"), {
		timeout: 10_000,
	});
	running.stop("the run is stopping");
	running.stop("a second reason");
	const result = await running.ended;
	expect(result.end).toEqual({ by: "stopped", reason: "the run is stopping" });
	expect(result.text).toBe("here\n[stopped: the run is stopping]");
});

test("a command stopped before it has started never runs", async () => {
	const running = start("touch ran");
	running.stop("too late");
	const result = await running.ended;
	expect(result).toEqual({
		end: { by: "stopped", reason: "too late" },
		text: "(no output)\n[stopped: too late]",
		outputBytes: 0,
		leftRunning: [],
	});
	expect(existsSync(join(running.directory, "ran"))).toBe(false);
});

test("several commands run side by side and share nothing", async () => {
	const agentDirectory = makeDirectory();
	const commands = [1, 2, 3, 4, 5, 6].map((number) =>
		start(
			`touch here${number}; until [ $(ls -d here* | wc -l) = 6 ]; do sleep 0.02; done; echo ${number}; exit ${number}`,
			{
				agentDirectory,
				number,
			},
		),
	);
	const results = await Promise.all(commands.map(({ ended }) => ended));
	expect(results.map(({ text }) => text)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `${n}\n[exit status ${n}]`));
	expect(results.map(({ log }) => log)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `out/000${n}.log`));
});

test("nothing but logs stays in the agent's directory", async () => {
	const { directory } = await run("true");
	await vi.waitFor(() => expect(readdirSync(directory)).toEqual(["out"]), WAIT);
});
