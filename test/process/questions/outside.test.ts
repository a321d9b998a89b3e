/** `agent ask --run`: after a person's yes a command runs outside of its agent's sandbox. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { runProgram, temporaryHome } from "../program.ts";
import { atLevel } from "../sandbox/at-level.ts";
import { NO_SANDBOX, SKIPPED } from "../sandbox/no-sandbox.ts";
import { startServer } from "../sandbox/proxy-client.ts";
import { type AskingRun, startAsking as start } from "./asking-run.ts";

const WAITING = ["--ask-wait", "--sandbox", "off"];
const CONFINED = ["--ask-wait", "--sandbox", "required"];

const startAsking = (script: string, options: readonly string[] = WAITING, home = temporaryHome()) =>
	start(script, options, home);

/** A directory that no sandbox of a run has. */
function elsewhere(): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-outside-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}

const outsideEvents = (run: AskingRun) => run.events().filter(({ event }) => event.startsWith("outside_"));

/** The process that the kernel shows lives. */
const lives = (pid: number) => {
	try {
		return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
	} catch {
		return false;
	}
};

async function pidIn(file: string): Promise<number> {
	return vi.waitFor(() => {
		const pid = Number(readFileSync(file, "utf8"));
		expect(pid).toBeGreaterThan(1);
		return pid;
	}, WAIT);
}

const over = (pid: number) => vi.waitFor(() => expect(lives(pid)).toBe(false), WAIT);

test("a yes runs what was shown once, and its output in order, its status and a record of it come back", async () => {
	const run = startAsking(
		`agent ask --run 'echo out; echo err >&2; echo more; pwd; exit 3' --why "a test"; echo "status $?"`,
	);
	const [asked] = await run.asked();
	const what = { is: "outside", command: "echo out; echo err >&2; echo more; pwd; exit 3", directory: run.home };
	expect(asked).toMatchObject({ why: "a test", what });
	expect((await runProgram(["questions"], { home: run.home })).stdout).toContain(
		"run OUTSIDE the sandbox, as you: echo out; echo err >&2; echo more; pwd; exit 3?",
	);
	await run.answer("1", "allow");
	expect(await run.printed()).toBe(`out\nerr\nmore\n${run.home}\nstatus 3\n`);
	const ran = { agent: "1", outside: 1, question: 1, text: what.command, directory: run.home };
	expect(outsideEvents(run)).toMatchObject([
		{ event: "outside_started", ...ran, log: "out/outside-0001.log" },
		{ event: "outside_ended", agent: "1", outside: 1, end: { by: "exit", code: 3 }, outputBytes: 14 + run.home.length },
	]);
	const log = (await runProgram(["log"], { home: run.home })).stdout;
	expect(log).toMatch(/runs OUTSIDE the sandbox, as you, in \S+ \(question 1\): echo out/);
	expect(log).toContain("exit status 3");
});

test("a no, a rule that denies, and nobody to ask: it is not run, and said so", async () => {
	const mark = join(elsewhere(), "mark");
	const run = startAsking(
		`agent ask --run 'touch ${mark}' 2>&1; echo $?; agent ask --run 'timeout 3 rm -rf x' 2>&1; echo $?`,
		[...WAITING, "--deny", "rm -rf"],
	);
	await run.asked();
	await run.answer("1", "no", "use the other");
	const printed = await run.printed();
	expect(printed).toMatch(/the person said no: use the other\. The command was NOT run .*\n1\n/);
	expect(printed).toMatch(/the rule rm -rf of the command line denies rm -rf x\. The command was NOT run .*\n1\n$/);
	for (const options of [[], [...WAITING, "--ask", "never"]]) {
		const alone = await startAsking(`agent ask --run 'touch ${mark}' 2>&1; echo $?`, options).printed();
		expect(alone).toMatch(/nobody can be asked in this run\. The command was NOT run .*\n1\n$/);
	}
	expect(existsSync(mark)).toBe(false);
});

test.each([
	["'' ", /--run needs a value/, 2],
	["a b", /--run takes one quoted command/, 2],
	[`$'echo a\\e[8m; rm b'`, /the command has invisible or misleading characters/, 4],
	[`$'echo \\xe2\\x80\\xaeb'`, /the command has invisible or misleading characters/, 4],
	[`$'rm a\\xc2\\xa0b'`, /the command has invisible or misleading characters/, 4],
	[`$'rm a\\xe3\\x85\\xa4b'`, /the command has invisible or misleading characters/, 4],
	[`"$(printf '%5000s' x)"`, /at most 4000/, 4],
	["true --allow-write /etc", /not in a sandbox/, 4],
])("agent ask --run %s is refused before anybody is asked", async (args, words, status) => {
	const run = startAsking(`agent ask --run ${args} 2>&1; echo $?`);
	const printed = await run.printed();
	expect(printed).toMatch(words);
	expect(printed.endsWith(`\n${status}\n`)).toBe(true);
	expect(run.events().filter(({ event }) => event === "question_asked")).toEqual([]);
});

test("what the asker sets reaches the command by no way but its words, and no key of a model is there", async () => {
	const run = startAsking(
		`export EVIL=1 LD_LIBRARY_PATH=/nowhere BASH_ENV=/nowhere PATH="/nowhere:$PATH"; exec 7<s.sh
		 agent ask --run 'env; ls -l /proc/self/fd; readlink /proc/self/fd/0; ps -o sid=,pid= $$'`,
	);
	await run.asked();
	await run.answer("1", "allow");
	const printed = await run.printed();
	expect(printed).not.toMatch(/EVIL|LD_LIBRARY|BASH_ENV|nowhere|ANTHROPIC|s\.sh|251/);
	expect(printed).toMatch(/^AGENTREE_AGENT=\S+\/1$/m);
	expect(printed).toMatch(/^PATH=\S+\/bin:/m);
	expect(printed).toMatch(/^\/dev\/null$/m);
	expect(printed).toMatch(/^\s*(\d+)\s+\1$/m); // a session of its own
});

test("always allows this text in this directory, of the agent and those below it, and nothing inside", async () => {
	const run = startAsking(
		`agent ask --run 'echo a'; agent ask --run 'echo a'; agent "agent ask --run 'echo a'"
		 agent ask --run 'echo a b' 2>&1; mkdir d; cd d; agent ask --run 'echo a' 2>&1; true`,
		WAITING,
	);
	await run.asked();
	expect((await run.answer("1", "always")).stdout).toContain("always Bash(echo a)");
	for (const number of [2, 3]) {
		await run.asked(number);
		await run.answer(`${number}`, "no");
	}
	const printed = await run.printed();
	expect(printed.match(/^a$/gm)).toHaveLength(3);
	expect(printed.match(/the person said no/g)).toHaveLength(2);
	expect(run.events().find(({ event }) => event === "grant_given")).toMatchObject({ outsideIn: run.home });
});

test("signals, backgrounds, bytes and much of them: as a command's", async () => {
	const run = startAsking(`
		agent ask --run 'kill -9 $$' 2>&1; echo $?
		x=$(agent ask --run 'sleep 300 & echo $! > pid; echo text' 2> left); sed 's/[0-9][0-9]*/PID/' left; echo "got $x"
		agent ask --run 'head -c 3000000 /dev/zero | tr "\\\\0" "\\\\377"' > bytes; wc -c < bytes; tr -d '\\377' < bytes | wc -c
		agent ask --run 'head -c 20000000 /dev/zero' | { sleep 3; wc -c; }
		agent ask --run 'yes' | head -1; echo ended
	`);
	for (const number of [1, 2, 3, 4, 5]) {
		await run.asked(number);
		await run.answer(`${number}`, "allow");
	}
	const printed = await run.printed();
	expect(printed).toBe(
		"agent: the command was killed by SIGKILL\n137\nagent: left running until this agent ends: PID (sleep)\ngot text\n3000000\n0\n20000000\ny\nended\n",
	);
	expect((await run.ended).stderr.toString()).not.toContain("bug");
	await over(await pidIn(join(run.home, "pid"))); // with its agent
	await vi.waitFor(() => expect(outsideEvents(run)).toHaveLength(10), WAIT);
}, 60_000);

test("it ends with who asked, also where it takes no notice of TERM", async () => {
	const run = startAsking(`
		agent ask --run 'trap "" TERM; echo $$ > pid; sleep 300; sleep 300' & asker=$!
		until [ -s pid ]; do sleep 0.05; done; kill $asker; wait $asker; echo $?
		agent ask --run 'echo next'
	`);
	await run.asked();
	await run.answer("1", "allow");
	const pid = await pidIn(join(run.home, "pid"));
	await run.asked(2);
	await over(pid);
	await run.answer("2", "allow");
	expect(await run.printed()).toBe("143\nnext\n");
	expect(outsideEvents(run)[1]).toMatchObject({ end: { by: "stopped" } });
});

test.each(["agent", "supervisor", "asker", "runner"])("after kill -9 of the %s nothing of it lives", async (who) => {
	const home = temporaryHome();
	const ran = "echo $$ > pid; echo $PPID > runner; setsid sleep 301 & echo $! > away; sleep 300";
	writeFileSync(join(home, "inner.sh"), `agent ask --run '${ran}' & echo $! > asker; wait`);
	const run = startAsking('agent "bash inner.sh"; echo $?', WAITING, home);
	await run.asked();
	await run.answer("1", "allow");
	const file = (name: string) => pidIn(join(run.home, name));
	const all = [await file("pid"), await file("runner"), await file("away")];
	const asker = await file("asker");
	const joined = run.events().find((event) => event.event === "agent_joined" && event.agent === "1.1");
	const victim = {
		agent: () => (joined as { pid: number }).pid,
		supervisor: () => run.pid,
		asker: () => asker,
		runner: () => all[1] ?? 0,
	};
	process.kill(victim[who as keyof typeof victim](), "SIGKILL");
	for (const pid of all) await over(pid);
	await run.ended;
});

test("twelve at once, each with its own output", async () => {
	const run = startAsking(
		`for n in 1 2 3 4 5 6 7 8 9 10 11 12; do agent "agent ask --run 'echo number $n'" > "out-$n" & done; wait
		 for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$n $(cat out-$n)"; done`,
	);
	for (const { question } of await run.asked(12)) await run.answer(`${question}`, "allow");
	const expected = Array.from({ length: 12 }, (_, n) => `${n + 1} number ${n + 1}\n`).join("");
	expect(await run.printed()).toBe(expected);
}, 90_000);

describe.skipIf(NO_SANDBOX !== undefined)(`from a sandbox${SKIPPED}`, () => {
	test.each([1, 3])(
		"it writes where the sandbox does not, after the yes and not before: at level %i",
		async (level) => {
			const mark = join(elsewhere(), "mark");
			const command = `touch ${mark} 2>/dev/null; echo x > ${mark}; agent ask --run 'echo yes > ${mark}; cat ${mark}'; echo $?`;
			const run = startAsking(atLevel(level, command), CONFINED);
			await run.asked();
			expect(existsSync(mark)).toBe(false);
			await run.answer("1", "allow");
			expect((await run.printed()).trimEnd().split("\n").slice(-2)).toEqual(["yes", "0"]);
			expect(readFileSync(mark, "utf8")).toBe("yes\n");
		},
	);

	test("with --allow-write it stays in the sandbox, with that directory besides, and not the next command", async () => {
		const [first, second] = [elsewhere(), elsewhere()];
		const run = startAsking(
			`agent ask --run 'echo 1 > ${first}/mark; echo 2 > ${second}/mark' --allow-write ${first} 2>&1; echo 3 > ${first}/other; true`,
			CONFINED,
		);
		const [asked] = await run.asked();
		expect(asked?.what).toMatchObject({ is: "outside", write: [first] });
		expect(asked?.what).not.toHaveProperty("rule");
		expect((await run.answer("1", "always")).stderr).toContain("cannot be answered with always");
		await run.answer("1", "allow");
		await run.printed();
		expect([existsSync(`${first}/mark`), existsSync(`${second}/mark`), existsSync(`${first}/other`)]).toEqual([
			...[true, false, false],
		]);
	});

	test("a child agent that it starts is in the sandbox of the asker, and belongs to it", async () => {
		const place = elsewhere();
		const name = `agentree-${basename(place)}`;
		const inner = `echo x > ${place}/child; echo y > /tmp/${name}; kill -0 ${process.pid} && echo seen; cat ~/.ssh/id; true`;
		writeFileSync(join(place, "inner.sh"), inner);
		const home = temporaryHome();
		mkdirSync(join(home, ".ssh"));
		writeFileSync(join(home, ".ssh/id"), "secret");
		const ran = `echo x > ${place}/own; cat ~/.ssh/id; echo; agent "$(cat ${place}/inner.sh)"`;
		const run = startAsking(`agent ask --run '${ran}'; cat /tmp/${name}`, CONFINED, home);
		await run.asked();
		await run.answer("1", "allow");
		const printed = await run.printed();
		expect(printed.match(/secret/g)).toHaveLength(1); // its own
		expect(printed).not.toContain("seen");
		expect(printed.endsWith("\ny\n")).toBe(true); // in the /tmp of the run
		expect(["own", "child"].map((file) => existsSync(join(place, file)))).toEqual([true, false]);
		expect(existsSync(`/tmp/${name}`)).toBe(false);
		expect(run.events().find((event) => event.event === "agent_joined" && event.agent === "1.1")).toMatchObject({
			command: 1,
			sandbox: expect.stringContaining("workspace"),
		});
	});

	test.each(["none", "proxy"])(
		"with --allow-host it reaches that host, and the next command does not: --net %s",
		async (net) => {
			const { port } = await startServer((_, response) => response.end("served"));
			const url = `http://127.0.0.1:${port}/`;
			const client = `curl -sS --noproxy "" -x "\${http_proxy:-}" ${url} 2>/dev/null || echo none`;
			const run = startAsking(`agent ask --run '${client}; echo' --allow-host 127.0.0.1:${port} 2>&1; ${client}`, [
				...CONFINED,
				"--net",
				net,
			]);
			const [asked] = await run.asked();
			expect(asked?.what).toMatchObject({ hosts: [`127.0.0.1:${port}`] });
			await run.answer("1", "allow");
			expect(await run.printed()).toMatch(/^served\n(?!served)/);
		},
	);

	test("a directory of the sandbox alone is refused, and one that was swapped for a link meanwhile", async () => {
		const home = temporaryHome();
		mkdirSync(join(home, "d"));
		const run = startAsking(
			`cd /tmp; agent ask --run pwd 2>&1; echo $?; cd ${home}/d; agent ask --run pwd 2>&1 & sleep 0; cd ..
			 while [ ! -e go ]; do sleep 0.05; done; mv d e; ln -s /etc d; touch swapped; wait`,
			CONFINED,
			home,
		);
		await run.asked();
		writeFileSync(join(home, "go"), "");
		await vi.waitFor(() => expect(existsSync(join(home, "swapped"))).toBe(true), WAIT);
		await run.answer("1", "allow");
		const printed = await run.printed();
		expect(printed).toMatch(/the directory \/tmp exists only in the sandbox.*\n4\n/);
		expect(printed).toContain("has changed since the question");
		expect(printed).not.toMatch(/^\/etc$/m);
	});

	test.each(["/", "/proc/1", "/run", "$AGENTREE_HOME", "$HOME/.ssh"])("--allow-write %s is refused", async (path) => {
		const home = temporaryHome();
		mkdirSync(join(home, ".ssh"));
		const printed = await startAsking(
			`agent ask --run true --allow-write "${path}" 2>&1; echo $?`,
			CONFINED,
			home,
		).printed();
		expect(printed).toMatch(/--allow-write .*\n4\n$/);
	});
});
