/** What of a sandbox is told: to the model, to who started the agent, to who looks at it. */
import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { EMPTIED } from "../../../src/core/model/placeholder-texts.ts";
import { WAIT } from "../../wait.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
import { WITHOUT_SANDBOX } from "../sandboxed.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

const SCRIPT = `
agents:
  - task: go
    turns:
      - run: echo x > ../outside; cat ~/.ssh/id; ls nothing
      - say: done
`;

describe.skipIf(NO_SANDBOX !== undefined)(`what of a sandbox is told${SKIPPED}`, () => {
	test("a failure that it caused is named in the result, and its places in the prompt and to people", async () => {
		const home = temporaryHome();
		mkdirSync(join(home, "project"));
		mkdirSync(join(home, ".ssh"));
		writeFileSync(join(home, "script.yaml"), SCRIPT);
		const cwd = join(home, "project");
		await runProgram(["run", "-q", "--sandbox", "workspace", "--model", `script:${home}/script.yaml`, "go"], {
			home,
			cwd,
		});
		const runs = join(home, "agentree/runs");
		const directory = join(runs, readdirSync(runs)[0] ?? "");
		const transcript = readFileSync(join(directory, "1/transcript.jsonl"), "utf8");
		expect(transcript).toContain(
			`[blocked by the sandbox: ${home}/outside is read-only; nobody can allow it in this run]`,
		);
		const { system } = JSON.parse(readFileSync(join(directory, "1/agent.json"), "utf8"));
		expect(system).toContain(`run in a sandbox (workspace: writes to ${cwd} and /tmp)`);
		expect(system).not.toContain("agent ask");
		const shown = await runProgram(["show", `${basename(directory)}/1`], { home });
		expect(shown.stdout).toContain(`sandbox workspace: writes to ${cwd} and /tmp`);
	});

	// Seen to fail: nothing was said of the file, and no option showed it.
	test("hidden configuration is named where its program fails, and a person shows it, to children too until one hides it", async () => {
		const home = temporaryHome();
		const cwd = join(home, "project");
		for (const name of ["project", ".ssh"]) mkdirSync(join(home, name));
		for (const name of [".npmrc", ".ssh/config", ".ssh/id"]) writeFileSync(join(home, name), `of ${name}\n`);
		writeFileSync(join(cwd, "npm"), "#!/bin/sh\necho E404; exit 1\n", { mode: 0o755 });
		const log = "cat ~/.local/state/agentree/runs/*/1/out/0001.log && agent show 1";
		const failing = `agents: [{ turns: [{ run: [./npm ci, no-such-tool, '${log}'] }, { say: done }] }]`;
		writeFileSync(join(home, "script.yaml"), failing);
		const usual = { AGENTREE_HOME: join(home, ".local/state/agentree") }; // below a hidden place, with the run's own programs
		const args = ["run", "-q", "--name", "failing", "-m", `script:${home}/script.yaml`, "go"];
		await runProgram(args, { home, cwd, env: usual });
		const runs = join(usual.AGENTREE_HOME, "runs");
		const transcript = readFileSync(join(runs, readdirSync(runs)[0] ?? "", "1/transcript.jsonl"), "utf8");
		expect(transcript).toContain(
			`${home}/.npmrc, which npm reads, is hidden (a person can allow it with --allow-read ~/.npmrc)`,
		);
		expect(transcript).not.toContain("is hidden from commands");
		const below =
			'agent --deny-read ~/.npmrc "cat ~/.npmrc" 2>/dev/null; agent --allow-read ~/.ssh/id "cat ~/.ssh/id" 2>&1';
		const task = `cat ~/.npmrc ~/.ssh/config; agent 'cat ~/.npmrc; tool; ${below}'; echo x >> ~/.npmrc`;
		mkdirSync(join(home, ".docker/bin"), { recursive: true });
		writeFileSync(join(home, ".docker/bin/tool"), "#!/bin/sh\necho a tool\n", { mode: 0o755 });
		const env = { PATH: `${join(home, ".docker/bin")}:${process.env.PATH}` };
		const shown = ["--allow-read", join(home, ".npmrc"), "--allow-read", join(home, ".ssh/config")];
		const { stdout } = await runProgram(["run", "-q", ...shown, "--model", "shell", `(${task}) 2>&1`], {
			home,
			cwd,
			env,
		});
		expect(stdout.replaceAll(home, "~").split("\n")).toEqual([
			...["of .npmrc", "of .ssh/config", "of .npmrc", "a tool"],
			"agent 1.1.2: --allow-read ~/.ssh/id: it is hidden from the agent above as well",
			"cat: ~/.ssh/id: No such file or directory",
			expect.stringMatching(/Read-only file system/),
			"",
		]);
	});

	test("where a person can be asked, the model is told how a command leaves the sandbox", async () => {
		const home = temporaryHome();
		writeFileSync(join(home, "script.yaml"), SCRIPT);
		for (const name of ["project", ".ssh"]) mkdirSync(join(home, name));
		const cwd = join(home, "project");
		const of = (...options: string[]) =>
			runProgram(["run", "-q", "--sandbox", "workspace", ...options, "-m", `script:${home}/script.yaml`, "go"], {
				home,
				cwd,
			});
		await of("--ask-wait", "--name", "asks");
		await of("--ask-wait", "--ask", "never", "--name", "never");
		const runs = join(home, "agentree/runs");
		for (const name of readdirSync(runs)) {
			const isAsked = JSON.parse(readFileSync(join(runs, name, "run.json"), "utf8")).name === "asks";
			const text = ["agent.json", "transcript.jsonl"].map((file) => readFileSync(join(runs, name, "1", file), "utf8"));
			for (const one of text) expect(one.includes("agent ask --run")).toBe(isAsked);
		}
	});

	// Seen to fail: its prompt said nothing of it, and a failure of its command did.
	test("a child that may ask less than its run is not told to ask for what it is not given", async () => {
		const home = temporaryHome();
		const child = "agent --ask never 'echo x > ../outside'";
		mkdirSync(join(home, "project"));
		const options = ["run", "-q", "--sandbox", "workspace", "--ask-wait", "--model", "shell"];
		await runProgram([...options, child], { home, cwd: join(home, "project") });
		const runs = join(home, "agentree/runs");
		const transcript = readFileSync(join(runs, readdirSync(runs)[0] ?? "", "1/1/transcript.jsonl"), "utf8");
		expect(transcript).toContain("blocked by the sandbox: ");
		expect(transcript).not.toContain("agent ask --run");
	});

	test("what a child asks for and is not given is on its stderr", async () => {
		const home = temporaryHome();
		const asks = "agent --sandbox off --net host --allow-write /usr true 2>&1 >/dev/null";
		const { stdout } = await runProgram(
			["run", "-q", "--sandbox", "workspace", "--net", "none", "--model", "shell", asks],
			{ home },
		);
		expect(stdout.trim().split("\n")).toEqual([
			"agent 1.1: --sandbox off: the sandbox of the agent above applies here as well",
			"agent 1.1: --allow-write /usr: the agent above cannot write there",
			"agent 1.1: --net host: the agent above has --net none",
		]);
		const without = await runProgram(
			[
				"run",
				"-q",
				"--model",
				"shell",
				"agent --sandbox read-only true 2>&1 >/dev/null; agent --role explore true 2>&1",
			],
			{ home, env: WITHOUT_SANDBOX },
		);
		expect(without.stdout).toBe("agent 1.1: no sandbox: the run has none, and a child agent uses the run's sandbox\n");
	});

	test.each([
		["a child of that role", ["--sandbox", "workspace"], "agent --role explore 'echo x > in'; [ -e in ] && echo made"],
		["the root of that role", ["--sandbox", "workspace", "--role", "plan"], "echo x > in; [ -e in ] && echo made"],
	])("a role that only reads has a sandbox in which nothing is written: %s", async (_, flags, command) => {
		const { stdout } = await runProgram(["run", "-q", ...flags, "--model", "shell", `(${command}) 2>/dev/null`]);
		expect(stdout).not.toContain("made");
	});
});

test("agent doctor tries a sandbox, and says what holds or what would help", async () => {
	const { stdout } = await runProgram(["doctor"]);
	expect(stdout).toMatch(
		NO_SANDBOX === undefined
			? /^ok {4}sandbox {10}bubblewrap \d+\.\d+\S*, including nesting and --net none/m
			: /^warn {2}sandbox {10}\S+/m,
	);
});

describe.skipIf(NO_SANDBOX !== undefined || process.getuid?.() !== 0)(
	`root in another user's project${SKIPPED}`,
	() => {
		test("is told at the start what commands cannot write and what helps, by doctor, and where a command fails", async () => {
			// Seen to fail: nothing was said, and each write failed.
			const home = temporaryHome();
			const cwd = join(home, "repository/theirs");
			mkdirSync(cwd, { recursive: true });
			spawnSync("git", ["init", "-q"], { cwd: dirname(cwd), env: { PATH: process.env.PATH, HOME: home } });
			chownSync(cwd, 65534, 65534);
			const real = realpathSync(cwd);
			const cannot = `commands cannot write to ${real}: it belongs to user 65534`;
			const program = startProgram(["run", "--model", "shell", "echo > new || true"], { home, cwd });
			const stderr = (await program.ended).stderr.toString();
			expect(stderr).toContain(`agent: ${cannot}, and root has no rights over other users' files in a sandbox`);
			expect(stderr).toContain("sudo -u '#65534'");
			const transcript = readFileSync(join(await program.runDirectory(), "1/transcript.jsonl"), "utf8");
			expect(transcript).toContain(`[blocked by the sandbox: ${real}/new belongs to another user`);
			expect((await runProgram(["doctor"], { home, cwd })).stdout).toContain(cannot);
			const off = await runProgram(["run", "--sandbox", "off", "--model", "shell", "touch new && ls"], { home, cwd });
			expect([off.stdout, off.stderr]).toEqual(["new\n", expect.not.stringContaining("cannot write")]);
		});
	},
);

const GOES_ON = `
agents:
  - task: go
    turns:
      - run: touch began /tmp/mine; sleep 600
      - run: echo x > ../outside; echo x > inside
      - say: done
`;

describe.skipIf(NO_SANDBOX !== undefined)(`an agent that goes on${SKIPPED}`, () => {
	test("is in its sandbox, and knows what it has done", async () => {
		const home = temporaryHome();
		const cwd = join(home, "project");
		mkdirSync(cwd);
		writeFileSync(join(home, "script.yaml"), GOES_ON);
		const model = `script:${home}/script.yaml`;
		const first = startProgram(["run", "-q", "--sandbox", "workspace", "--model", model, "go"], { home, cwd });
		await vi.waitFor(() => expect(existsSync(join(cwd, "began"))).toBe(true), WAIT);
		first.kill("SIGTERM");
		await first.ended;
		const { exit, stdout, stderr } = await runProgram(["resume", "-q"], { home, cwd });
		expect([exit, stdout, stderr.includes("missing")]).toEqual([0, "done\n", false]);
		const transcript = readFileSync(join(await first.runDirectory(), "1/transcript.jsonl"), "utf8");
		expect(transcript).toContain(EMPTIED); // seen to fail: nothing told the model that its file is gone
		expect([existsSync(join(home, "outside")), existsSync(join(cwd, "inside"))]).toEqual([false, true]);
	});
});

describe.skipIf(NO_SANDBOX !== undefined)(`the configuration file${SKIPPED}`, () => {
	test("says what the sandbox of a run is like where nothing else does", async () => {
		const home = temporaryHome();
		mkdirSync(join(home, ".config/agentree"), { recursive: true });
		writeFileSync(join(home, ".config/agentree/config.yaml"), "sandbox: {mode: workspace, deny_read: [~/private]}\n");
		mkdirSync(join(home, "project"));
		writeFileSync(join(home, "private"), "secret");
		const run = (...flags: string[]) =>
			runProgram(["run", "-q", ...flags, "--model", "shell", "echo x > ../out; cat ../private"], {
				...{ home, cwd: join(home, "project"), env: { AGENTREE_SANDBOX: "" } },
			});
		expect((await run()).stdout).not.toContain("secret");
		expect((await run("--sandbox", "off")).stdout).toContain("secret");
	});
});
