/** Where the task comes from; the program never waits on a stdin that delivers nothing. */
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ProgramOptions, runProgram, startLine, temporaryHome } from "../program.ts";
import { endOf, KEY, says, startApiRun, startService } from "./api-run.ts";

const SHELL = ["run", "--model", "shell"];
const HI = { exit: 0, stdout: "hi\n", stderr: "" };

const SOURCES: readonly [name: string, args: string[], stdin: ProgramOptions["stdin"]][] = [
	["a dash reads it from a pipe", [...SHELL, "-"], "echo hi\n"],
	["without an argument it is read from a pipe", SHELL, "echo hi"],
	["without a command and a task it is read from a pipe", ["--model", "shell"], "echo hi"],
	["an empty pipe adds nothing", [...SHELL, "echo hi"], ""],
	["a pipe that is open and silent is not waited for", [...SHELL, "echo hi"], { silent: true }],
];

test.each(SOURCES)("the task: %s", async (_, args, stdin) => {
	expect(await runProgram(args, { ...(stdin === undefined ? {} : { stdin }) })).toEqual(HI);
});

test("what a pipe delivers is added to the argument, and told in one line, unless nothing is to be said", async () => {
	const { url } = await startService({ "which?\n\nhi\n": [{ content: [says("this one")] }] });
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url };
	const told = await runProgram(["run", "which?"], { env, stdin: "hi\n" });
	expect(told).toEqual({ exit: 0, stdout: "this one\n", stderr: "agent: stdin was appended to the task: 3 bytes\n" });
	const late = startLine(`(sleep 0.5; echo hi) | "$@" run -q --stdin 'which?'`, { env });
	expect(await endOf(late)).toEqual({ exit: 0, stdout: "this one\n", stderr: "" });
});

test.each([{ flags: [] }, { flags: ["--stdin"] }])(
	"what a pipe delivers is not run as commands beside a task of the model shell: $flags",
	async ({ flags }) => {
		const refused = await runProgram([...SHELL, ...flags, "cat"], { stdin: "echo ran\n" });
		expect(refused).toEqual({
			...{ exit: 2, stdout: "" },
			stderr: expect.stringMatching(/^agent: --model shell: .*git diff \| cat.*<\/dev\/null\n/),
		});
	},
);

test("the task is read from a file on stdin, and from its end on there is none", async () => {
	const home = temporaryHome();
	writeFileSync(join(home, "task"), "echo hi");
	const fd = openSync(join(home, "task"), "r");
	onTestFinished(() => closeSync(fd));
	expect(await runProgram(SHELL, { home, stdin: { fd } })).toEqual(HI);
	expect(await runProgram(SHELL, { home, stdin: { fd } })).toMatchObject({ exit: 2, stdout: "" });
});

test("a closed stdin is no stdin", async () => {
	const { code, stdout, stderr } = await startLine(`"$@" run --model shell 'echo hi' <&-`).ended;
	expect([code, stdout.toString(), stderr.toString()]).toEqual([0, "hi\n", ""]);
});

test("a task of 200 KiB on stdin reaches the model whole", async () => {
	const stdin = `summarize\n${"é🌳x\n".repeat(25_600)}`;
	expect(Buffer.byteLength(stdin)).toBeGreaterThan(200 * 1024);
	const { api, program } = await startApiRun({ [stdin]: [{ content: [{ type: "text", text: "long" }] }] }, [], {
		stdin,
	});
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "long\n", stderr: "" });
	expect(api.requests[0]?.body.messages).toEqual([{ role: "user", content: [{ type: "text", text: stdin }] }]);
});
