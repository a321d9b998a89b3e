/** A command's timeout in a whole run: its clock is held while child agents of that command live. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, temporaryHome } from "../program.ts";

/** The root runs one command with a timeout of one second; every child runs its task for `sleep`. */
function scriptIn(home: string, command: string): string {
	const file = join(home, "script.yaml");
	writeFileSync(
		file,
		`agents:
  - path: "1"
    turns:
      - run: [{ command: ${JSON.stringify(command)}, timeout: 1 }]
      - say: "{{output}}"
  - turns:
      - run: "{{task}}"
      - say: "{{output}}"
`,
	);
	return file;
}

async function run(command: string) {
	const home = temporaryHome();
	const { exit, stdout } = await runProgram(["run", "--model", `script:${scriptIn(home, command)}`, "go"], { home });
	return { exit, stdout };
}

test("a command that waits for a child agent is not timed out while the child lives", async () => {
	// Seen to fail with `childrenAlive` of ToolCalls doing nothing.
	expect(await run('agent "sleep 2.5; echo child"; echo after')).toEqual({
		exit: 0,
		stdout: "child\nafter\n".replaceAll("\\\n", "\n"),
	});
});

test("the same command without a child is timed out, and keeps what it printed", async () => {
	const { exit, stdout } = await run("echo before; sleep 2.5; echo after");
	expect(exit).toBe(0);
	expect(stdout).toMatch(/^before\n.*timed out after 1 s/);
	expect(stdout).not.toContain("after\n");
});

test("a sibling command is timed out while another one waits for its child", async () => {
	const home = temporaryHome();
	const file = join(home, "script.yaml");
	writeFileSync(
		file,
		`agents:
  - path: "1"
    turns:
      - run: [{ command: 'agent "sleep 4.5; echo child"', timeout: 3 }, { command: "sleep 600", timeout: 1 }]
      - say: "{{output}}"
  - turns:
      - run: "{{task}}"
      - say: "{{output}}"
`,
	);
	const { exit, stdout } = await runProgram(["run", "--model", `script:${file}`, "go"], { home });
	expect(exit).toBe(0);
	expect(stdout).toMatch(/^child\n.*timed out after 1 s/s);
});
