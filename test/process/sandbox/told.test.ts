/** What of a sandbox is told: to the model, to who started the agent, to who looks at it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
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
			`[outside the sandbox: ${home}/outside can be read, not written; nobody can be asked to allow it in this run]`,
		);
		const { system } = JSON.parse(readFileSync(join(directory, "1/agent.json"), "utf8"));
		expect(system).toContain(`run in a sandbox (workspace: writes to ${cwd} and /tmp)`);
		expect(system).not.toContain("agent ask");
		const shown = await runProgram(["show", `${basename(directory)}/1`], { home });
		expect(shown.stdout).toContain(`sandbox workspace: writes to ${cwd} and /tmp`);
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
		expect(transcript).toContain("outside the sandbox: ");
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
			"agent 1.1: --sandbox off: the sandbox of the agent above holds here, too",
			"agent 1.1: --allow-write /usr: the agent above may not write there",
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
			{ home },
		);
		expect(without.stdout).toBe("agent 1.1: no sandbox: the run has none, and a child agent is in that of its run\n");
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
			? /^ok {4}sandbox {10}bubblewrap \d+\.\d+\S*, also one in another and without a network/m
			: /^warn {2}sandbox {10}\S+/m,
	);
});

const GOES_ON = `
agents:
  - task: go
    turns:
      - run: touch began; sleep 600
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
		await vi.waitFor(() => expect(existsSync(join(cwd, "began"))).toBe(true), { timeout: 20_000 });
		first.kill("SIGTERM");
		await first.ended;
		const { exit, stdout, stderr } = await runProgram(["resume", "-q"], { home, cwd });
		expect([exit, stdout, stderr.includes("missing")]).toEqual([0, "done\n", false]);
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
