/** Wrong usage is one line on stderr with exit status 2, before anything starts. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, startLine, temporaryHome } from "../program.ts";

const KNOWN =
	"claude-fable-5-1, claude-opus-5-5, claude-opus-5, claude-sonnet-5-5, claude-sonnet-5, claude-haiku-5-5, claude-haiku-4-5, openai/MODEL, deepseek/MODEL, gemini/MODEL, groq/MODEL, openrouter/MODEL, ollama/MODEL, vllm/MODEL, shell, script:FILE";
const ELSEWHERE = "set AGENTREE_HOME (runs) or XDG_RUNTIME_DIR (sockets) to another path";
const SHELL = ["run", "--model", "shell"];
const WRONG: readonly [args: string[], says: string][] = [
	[["run", "--bogus", "x"], "unknown option '--bogus'; see agent run --help"],
	[["ps", "--bogus"], "unknown option '--bogus'; see agent ps --help"],
	[["bogus"], 'unknown command "bogus"; if it is a task: agent run "bogus"; see agent --help'],
	[["help", "bogus"], 'unknown command "bogus"; see agent --help'],
	[["run", "--model"], "option '-m, --model <NAME>' argument missing; see agent run --help"],
	[[...SHELL, "--max-depth", "x", "a"], '--max-depth must be a whole number of 0 or more, not "x"'],
	[[...SHELL, "--max-turns", "0", "a"], '--max-turns must be a whole number of 1 or more, not "0"'],
	[[...SHELL, "--max-agents=-1", "a"], '--max-agents must be a whole number of 1 or more, not "-1"'],
	[[...SHELL, "--max-time", "5", "a"], '--max-time must be a time such as 90s, 30m or 2h, not "5"'],
	[[...SHELL, "--effort", "huge", "a"], '--effort must be one of low, medium, high, xhigh, max, not "huge"'],
	[[...SHELL, "--output-format", "xml", "a"], '--output-format must be one of text, json, stream-json, not "xml"'],
	[["run", "--model", "gpt-9", "a"], `unknown model "gpt-9"; known: ${KNOWN}`],
	[["run", "--model", "", "a"], "--model needs a model name, shell, or script:FILE"],
	[["run", "--model", "script:none.yaml", "a"], "cannot read the script HOME/none.yaml: no such file"],
	[
		["run", "--model", "script:torn.yaml", "a"],
		"HOME/torn.yaml:3:1: Flow sequence in block collection must be sufficiently indented and end with a ]",
	],
	[["run", "--model", "script:wrong.yaml", "a"], 'HOME/wrong.yaml:1:1: unknown key "agentz"; known here: agents'],
	[[...SHELL, "--cd", "nowhere", "a"], "--cd nowhere: no such directory"],
	[[...SHELL, "--cd", "file", "a"], "--cd file: no such directory"],
	[[...SHELL, "-q", "-v", "a"], "--quiet and --verbose contradict each other"],
	[[...SHELL, ""], 'the task is empty; try agent "list the files"'],
	[[...SHELL, " \n"], 'the task is empty; try agent "list the files"'],
	[[...SHELL, "a", "b"], 'the task must be one argument: quote it, as in agent run "list the files"'],
	[
		["tree", "--model", "shell", "--output-format", "json", "a"],
		"--output-format json is for agent run; agent tree prints the answer as text",
	],
	[[...SHELL], 'no task: give it as an argument, as in agent "list the files", or pipe it in'],
	[["--model", "shell"], 'no task: give it as an argument, as in agent "list the files", or pipe it in'],
	[[...SHELL, "-"], 'no task: give it as an argument, as in agent "list the files", or pipe it in'],
	[["show", "nope"], 'no run "nope" in HOME/agentree; agent ps -a lists all runs'],
	[["log", "nope"], 'no run "nope" in HOME/agentree; agent ps -a lists all runs'],
	[["ps", "nope"], 'no run "nope" in HOME/agentree; agent ps -a lists all runs'],
	[["show"], "no run was started in HOME; name one: agent ps -a lists all runs"],
];

test.each(WRONG)("agent %j is refused", async (args, says) => {
	const home = homeWithFiles();
	const { exit, stdout, stderr } = await runProgram(args, { home });
	expect({ exit, stdout, stderr: stderr.replaceAll(home, "HOME") }).toEqual({
		exit: 2,
		stdout: args.includes("json") ? expect.stringContaining('"exit_code":2') : "",
		stderr: `agent: ${says}\n`,
	});
	expect(existsSync(join(home, "agentree"))).toBe(false);
});

const WRONG_VARIABLES: readonly [env: Record<string, string>, says: string][] = [
	[{ AGENTREE_MAX_DEPTH: "zz" }, 'AGENTREE_MAX_DEPTH must be a whole number of 0 or more, not "zz"'],
	[{ AGENTREE_MAX_TIME: "soon" }, 'AGENTREE_MAX_TIME must be a time such as 90s, 30m or 2h, not "soon"'],
	[{ AGENTREE_MODEL: "gpt-9" }, `unknown model "gpt-9"; known: ${KNOWN}; the name is from AGENTREE_MODEL`],
	[
		{ ANTHROPIC_MODEL: "opuss" },
		`unknown model "opuss"; known: ${KNOWN}; did you mean opus? (the name is from ANTHROPIC_MODEL)`,
	],
	[{ ANTHROPIC_API_KEY: "a b" }, "ANTHROPIC_API_KEY has whitespace or another character that is not allowed in a key"],
	[
		{ ANTHROPIC_API_KEY: "dummy", ANTHROPIC_BASE_URL: "nowhere" },
		'ANTHROPIC_BASE_URL "nowhere" is not an http or https address',
	],
];

test.each(WRONG_VARIABLES)("a wrong variable is refused: %j", async (env, says) => {
	expect(await runProgram(["run", "a"], { env })).toEqual({ exit: 2, stdout: "", stderr: `agent: ${says}\n` });
});

// Seen to fail: ten minutes of retries, each with "bad port".
test("a port that Node blocks ends the run at its first call", async () => {
	const env = { ANTHROPIC_API_KEY: "dummy", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
	const { exit, stdout, stderr } = await runProgram(["run", "a"], { env });
	expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
	expect(stderr).toContain("ANTHROPIC_BASE_URL has a port that Node blocks because it is reserved for another kind");
});

const PLACES: readonly [place: string, why: string][] = [
	["file", "cannot use the directory HOME/file: not a directory"],
	["file/below", "cannot use the directory HOME/file/below: ENOTDIR: not a directory, mkdir 'HOME/file/below'"],
	["/proc/below", "cannot use the directory /proc/below: ENOENT: no such file or directory, mkdir '/proc/below'"],
];

test.each(PLACES)("a state directory that cannot be made is refused: %s", async (place, why) => {
	const home = homeWithFiles();
	const { exit, stdout, stderr } = await runProgram([...SHELL, "echo a"], { home, env: { AGENTREE_HOME: place } });
	expect({ exit, stdout, stderr: stderr.replaceAll(home, "HOME") }).toEqual({
		exit: 2,
		stdout: "",
		stderr: `agent: ${why}; ${ELSEWHERE}\n`,
	});
});

test("a state directory that takes no new entry is refused, and the program comes back", async () => {
	const { exit, stdout, stderr } = await runProgram([...SHELL, "echo a"], { env: { AGENTREE_HOME: "/proc" } });
	expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
	expect(stderr).toMatch(/^agent: .*\/proc\/runs.*ENOENT.*\n$/);
	expect(stderr.trimEnd()).not.toContain("\n");
});

/** Node 20 looks for this option, too, wherever it stands, unless `--` is before the program. */
const runWithEnvFile = (file: string) =>
	startLine(`"$1" -- "$2" run --model shell --env-file ${file} "echo read"`).ended;

test("an --env-file that is missing, or has no end, is refused in one line; one that is a pipe is read", async () => {
	// Seen to fail with the file read whole: /dev/zero fills the memory for as long as one waits.
	const ends = await Promise.all(["nowhere.env", "/dev/zero", "<(echo ANTHROPIC_API_KEY=k)"].map(runWithEnvFile));
	expect(ends.map(({ code, stdout, stderr }) => [code, stdout.toString(), stderr.toString()])).toEqual([
		[2, "", expect.stringMatching(/^agent: --env-file \S+\/nowhere.env: cannot be read \(no such file\)\n$/)],
		[2, "", "agent: --env-file /dev/zero: cannot be read (it has more than 1 MiB)\n"],
		[0, "read\n", ""],
	]);
});

test("without a key and a model it says which variable is missing, and what works without", async () => {
	const says =
		"agent: no key for the model claude-sonnet-5-5: set ANTHROPIC_API_KEY, or pass a file with --env-file; without a key, try agent demo\n";
	for (const args of [["run", "a"], ["tree", "a"], ["a task"]])
		expect([args, await runProgram(args)]).toEqual([args, { exit: 77, stdout: "", stderr: says }]);
});

test("help and version are printed to stdout, with exit status 0", async () => {
	const { version } = await import("../../../package.json");
	expect(await runProgram(["--version"])).toEqual({ exit: 0, stdout: `${version}\n`, stderr: "" });
	for (const args of [["--help"], ["help"], ["-h"]])
		expect(await runProgram(args)).toEqual({
			exit: 0,
			stdout: expect.stringMatching(/^Usage: agent \[options\] \[command\]\n[\s\S]*\nExamples:\n[\s\S]*\n$/),
			stderr: "",
		});
	for (const args of [
		["run", "--help"],
		["help", "run"],
	])
		expect(await runProgram(args)).toEqual({
			exit: 0,
			stdout: expect.stringMatching(/^Usage: agent run \[options\] \[task\]\n[\s\S]*--max-depth <N>[\s\S]*\n$/),
			stderr: "",
		});
});

function homeWithFiles(): string {
	const home = temporaryHome();
	mkdirSync(join(home, "folder"));
	writeFileSync(join(home, "file"), "");
	writeFileSync(join(home, "torn.yaml"), "agents:\n  - turns: [a\n");
	writeFileSync(join(home, "wrong.yaml"), "agentz:\n  - task: a\n");
	return home;
}
