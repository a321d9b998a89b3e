/** Command lines, environments and directories as people and scripts write them. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, startLine, startProgram, temporaryHome } from "../program.ts";

async function runLine(line: string, options: Parameters<typeof startLine>[1] = {}) {
	const { code, stdout, stderr } = await startLine(line, options).ended;
	return { exit: code, stdout: stdout.toString(), stderr: stderr.toString() };
}

test("a task that begins with a dash is a task, on the host and inside a run", async () => {
	// Seen to fail with such a task taken for an option: exit 2.
	const host = await runProgram(["-m", "shell", "--help me with x"]);
	expect(host.stdout + host.stderr).toContain("--help: command not found");
	const inside = "agent '--help me with x'; agent run '- a b' -q; agent -q tree -- '-v c'";
	expect((await runProgram(["-m", "shell", inside])).stdout.match(/--help: comm|-: comm|-v: comm/g)).toEqual([
		...["--help: comm", "-: comm", "-v: comm"],
	]);
});

test("a loop that reads its list starts one child a line", async () => {
	// Seen to fail with stdin added to an argument: the first child took the whole list.
	const task = `printf '%s\\n' a b c > list; while read f; do agent "echo check $f"; done < list; cat list | while read f; do agent "echo $f"; done`;
	const { stdout } = await runProgram(["-m", "shell", task]);
	expect(stdout).toBe("check a\ncheck b\ncheck c\na\nb\nc\n");
});

test("a word that names an agent or a run is no task, on the host and inside a run", async () => {
	// Seen to fail with the word taken for a task: a run that fails, or costs money.
	const program = startProgram([
		"run",
		"-m",
		"shell",
		'agent 1.2; echo "code $?"; agent run 20261127-201530-k3f9 2>/dev/null; echo $?',
	]);
	const { stdout } = await program.ended;
	expect(stdout.toString()).toMatch(/^agent: "1\.2" is an agent, not a task; .*agent show 1\.2.*\ncode 2\n2\n$/);
	const { home } = program;
	const run = (await program.runDirectory()).split("/").at(-1) ?? "";
	for (const word of [run, `${run}/1.1`, "1.1", run.slice(-4), run.slice(0, 8)])
		expect(await runProgram(["run", "-m", "shell", word], { home })).toMatchObject({
			...{ exit: 2, stdout: "", stderr: expect.stringContaining(`agent show ${word}`) },
		});
	expect((await runProgram([run, "show"], { home })).stderr).toContain(`agent show ${run}`);
});

test("variables of a git hook are told of once, and taken out where that is asked for", async () => {
	// Seen to fail with the environment passed on without a word.
	const env = { GIT_DIR: "/nowhere/.git", GIT_INDEX_FILE: "i", GIT_AUTHOR_NAME: "Ann" };
	const task = 'env | grep -E "^GIT_(DIR|INDEX|AUTHOR)" | sort; agent "true"';
	expect(await runProgram(["run", "-m", "shell", task], { env })).toEqual({
		...{ exit: 0, stdout: "GIT_AUTHOR_NAME=Ann\nGIT_DIR=/nowhere/.git\nGIT_INDEX_FILE=i\n" },
		stderr:
			"agent: GIT_DIR, GIT_INDEX_FILE are set, as in a git hook: git in the agents' commands uses what they name, wherever it runs; --clean-git-env removes them\n",
	});
	expect(await runProgram(["run", "--clean-git-env", "-m", "shell", task], { env })).toEqual({
		...{ exit: 0, stdout: "GIT_AUTHOR_NAME=Ann\n", stderr: "" },
	});
	const inside = "GIT_DIR=/nowhere agent --clean-git-env 'echo dir $GIT_DIR'";
	expect((await runProgram(["run", "-m", "shell", inside])).stdout).toBe("dir\n");
});

test("what is not UTF-8 is refused as an argument and a directory, and told of in the environment", async () => {
	// Seen to fail with U+FFFD in their place and not a word.
	const home = temporaryHome();
	const task = await runLine(`"$@" run -m shell $'echo caf\\xe9'`);
	expect([task.exit, task.stdout, task.stderr]).toEqual([
		2,
		"",
		expect.stringContaining("an argument is not valid UTF-8"),
	]);
	const directory = await runLine(`mkdir $'d\\xff' && cd $'d\\xff' && "$@" run -m shell pwd`, { home });
	expect([directory.exit, directory.stdout]).toEqual([2, ""]);
	expect(directory.stderr).toContain("the name of the working directory is not valid UTF-8");
	expect(await runLine(`BYTES=$'\\xff' "$@" run -m shell 'echo "$BYTES"'`)).toEqual({
		...{ exit: 0, stdout: "\ufffd\n" },
		stderr: "agent: not valid UTF-8 in the environment: BYTES; commands get U+FFFD for the invalid bytes\n",
	});
	const inside =
		"BYTES=$'\\xff' agent 'true'; mkdir $'e\\xff'; cd $'e\\xff'; agent pwd 2>&1 | head -c 50; agent $'caf\\xe9 x' 2>&1 | head -c 37";
	expect((await runProgram(["run", "-m", "shell", inside], { home })).stdout).toBe(
		"agent 1.1: not valid UTF-8 in the environment: BYTES; commands get U+FFFD for the invalid bytes\nagent: the name of the working directory is not vaagent: an argument is not valid UTF-8",
	);
	mkdirSync(join(home, "d\ufffd"));
	expect(await runProgram(["run", "-m", "shell", "-q", "pwd"], { cwd: join(home, "d\ufffd") })).toMatchObject({
		exit: 0,
	});
});
