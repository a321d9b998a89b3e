/** A program that cannot start, or cannot write, says so in one line, with an exit code that is not 0. */
import { chmodSync, mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, startLine, startProgram, temporaryHome } from "../program.ts";

async function runLine(line: string, options: Parameters<typeof startLine>[1] = {}) {
	const { code, stdout, stderr } = await startLine(line, options).ended;
	return { exit: code, stdout: stdout.toString(), stderr: stderr.toString() };
}

const FULL = "agent: cannot write to stdout: no space left on device (ENOSPC)";

test("an answer that a full disk does not take is told, and its run ends with 74", async () => {
	// Seen to fail when every error of a write was taken for a reader that left: 0, and nothing on stderr.
	const { exit, stderr } = await runLine(`"$@" run --model shell 'echo answer' >/dev/full`);
	expect(stderr).toMatch(
		/^agent: cannot write to stdout: .* \(ENOSPC\); to see the answer: agent show \d+-\d+-\w+\/1\n$/,
	);
	expect(exit).toBe(74);
});

test.each(["json", "stream-json"])("a result as %s that a full disk does not take ends with 74", async (format) => {
	// Seen to fail with what `end` resolves to ignored.
	const run = `run --model shell --output-format ${format} 'echo answer'`;
	const { exit, stderr } = await runLine(`"$@" ${run} >/dev/full`);
	expect(stderr).toMatch(/^agent: cannot write to stdout: .* \(ENOSPC\); to see the answer: agent show \d+-\d+-\w+\n$/);
	expect(exit).toBe(74);
});

test("a child whose answer is not taken says so to its parent, with 74", async () => {
	// Seen to fail when every error of a write was taken for a reader that left.
	const { stdout } = await runProgram(["run", "--model", "shell", 'agent "echo a" >/dev/full; echo "code $?"']);
	expect(stdout).toMatch(/^agent: cannot write to stdout: .*; to see the answer: agent show \S+\/1\.1\ncode 74\n$/);
});

test("help, version and reading commands that cannot print say so and end with 74, too", async () => {
	// Seen to fail with help written by the library itself, through process.stdout.
	const each = 'for c in --version help "run --help" "doctor --json"; do "$@" $c >/dev/full; echo "$?"; done';
	const { stdout, stderr } = await runLine(each);
	expect(stdout).toBe("74\n74\n74\n74\n");
	expect(stderr).toBe(`${FULL}\n`.repeat(4));
});

test("in a working directory that was removed, help and an absolute --cd work, and a run is one line", async () => {
	// Seen to fail with the directory asked for at every start: a stack trace and 70.
	const home = temporaryHome();
	const gone = join(home, "gone");
	mkdirSync(gone);
	const inside =
		'cd gone && rmdir ../gone && for c in --version "run -m shell -C /mnt pwd" "ps -a --json" "run -m shell x"';
	const { stdout, stderr } = await runLine(`${inside}; do "$@" $c; echo "code $?"; done`, { home });
	expect(stdout).toMatch(/^\d+\.\d+\.\d+\ncode 0\n\/mnt\ncode 0\n[[{].*code 0\ncode 2\n$/s);
	expect(stderr).toBe("agent: the working directory no longer exists (ENOENT): cd to another, or pass one with --cd\n");
});

test("a child in a working directory that was removed is one line, and no agent", async () => {
	// Seen to fail with the directory asked for at every start.
	const task = 'mkdir d; cd d; rmdir ../d; agent "echo no"; echo "code $?"; agent -C /usr pwd';
	const { stdout } = await runProgram(["run", "--model", "shell", task]);
	expect(stdout).toMatch(/^agent: the working directory no longer exists \(ENOENT\).*\ncode 2\n\/usr\n$/);
});

test("used up descriptors are one line that says what to do", async () => {
	const fewer = 'for n in 24 23 22 21 20 19 18; do (ulimit -n $n; "$@" ps 2>&1 >/dev/null) || exit; done';
	const { exit, stderr } = await runLine(`"$@" run -q --model shell true; { ${fewer}; } >&2`);
	const said = stderr.split("\n").filter((line) => !line.startsWith("agent: no live runs"));
	expect(said.join("\n")).toMatch(
		/^agent: cannot list the runs in \S+: too many files are open \(EMFILE\); raise ulimit -n\n$/,
	);
	expect(exit).toBe(2);
});

test("the command's word may stand behind options of a run, inside a run as outside", async () => {
	// Seen to fail without withWordFirst in either reader.
	expect(await runProgram(["-m", "shell", "-q", "run", "echo a"])).toEqual({ exit: 0, stdout: "a\n", stderr: "" });
	const inside = 'agent -q run "echo b"; agent run x y; agent -q ps';
	const { stdout } = await runProgram(["--model", "shell", inside]);
	expect(stdout).toBe(
		[
			"b",
			'agent: the task must be one argument: quote it, as in agent run "list the files"',
			"agent: unknown option '-q'; see agent ps --help\n",
		].join("\n"),
	);
});

test("more than one task is told as that, and the help of tree has no format that it cannot take", async () => {
	// Seen to fail with the library's own words, and with the options of run listed for tree.
	expect(await runProgram(["run", "x", "y"])).toEqual({
		...{ exit: 2, stdout: "" },
		stderr: 'agent: the task must be one argument: quote it, as in agent run "list the files"\n',
	});
	expect(await runProgram(["sum it up", "-"])).toEqual({
		...{ exit: 2, stdout: "" },
		stderr:
			'agent: give a task or "-" (read the task from stdin), not both; to append stdin to the task: agent run --stdin "list the files"\n',
	});
	expect((await runProgram(["tree", "--help"])).stdout).not.toContain("--output-format");
	expect((await runProgram(["run", "--help"])).stdout).toContain("--output-format");
});

test("without a task and a key the task is missed first, with a task the key", async () => {
	// Seen to fail with the model loaded before anybody has looked for a task.
	expect(await runProgram(["run"])).toMatchObject({ exit: 2, stderr: expect.stringMatching(/^agent: no task: /) });
	expect(await runProgram(["run", "x"])).toMatchObject({ exit: 77, stderr: expect.stringMatching(/^agent: no key /) });
	expect(await runProgram(["run"], { stdin: "x" })).toMatchObject({ exit: 77 });
});

test("a child's script must be there before it joins", async () => {
	// Seen to fail with only the name of the model checked: exit 70 and an agent in the tree.
	const program = startProgram(["run", "--model", "shell", 'agent -m script:/no/such/script.yaml x; echo "code $?"']);
	const { stdout } = await program.ended;
	expect(stdout.toString()).toBe("agent: cannot read the script /no/such/script.yaml: ENOENT\ncode 2\n");
	expect(program.events().filter(({ event }) => event === "agent_joined")).toHaveLength(1);
});

test.skipIf(process.getuid?.() !== 0)(
	"a directory that one may not enter is told before anything starts (as root: via setpriv)",
	async () => {
		// Seen to fail with only its existence checked: 70, "spawn node EACCES".
		const home = temporaryHome();
		const closed = join(home, "closed");
		mkdirSync(closed, { mode: 0o700 });
		chmodSync(home, 0o755);
		const as = "setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent XDG_STATE_HOME=/nonexistent";
		const { exit, stderr } = await runLine(`cd / && exec ${as} "$@" run -m shell -C ${closed} pwd`, { home });
		expect(stderr).toBe(`agent: --cd ${closed}: permission denied\n`);
		expect(exit).toBe(2);
		rmdirSync(closed);
	},
);
