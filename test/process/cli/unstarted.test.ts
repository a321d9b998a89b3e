/** A program that asks for JSON gets an object on stdout also of a run that does not start. */
import { expect, test } from "vitest";
import { runProgram, temporaryHome } from "../program.ts";

test.each([
	["no key", 77, ["run", "--output-format", "json", "say hi"], /key/],
	["an unknown option", 2, ["run", "--output-format", "json", "--nonsense", "say hi"], /--nonsense/],
	["two that contradict each other", 2, ["run", "--detach", "--output-format=stream-json", "x"], /--detach/],
	["no task", 2, ["run", "-m", "shell", "--output-format", "stream-json", ""], /task/],
	["no message on stdin", 2, ["run", "--input-format", "stream-json", "--output-format", "json"], /stdin/],
	["a run that is not there", 2, ["resume", "abcd", "--output-format", "json"], /abcd/],
	["a run to wait for that is not there", 2, ["wait", "abcd", "--output-format", "json"], /abcd/],
])("%s: exit code %i, and one object that says why", async (_, exit, args, why) => {
	const end = await runProgram(args, { home: temporaryHome() });
	expect(end).toMatchObject({ exit, stderr: expect.stringMatching(why) });
	expect(end.stdout.trimEnd().split("\n")).toHaveLength(1);
	const { errors, ...line } = JSON.parse(end.stdout);
	expect(line).toMatchObject({ type: "result", is_error: true, exit_code: exit, session_id: null });
	expect(end.stderr).toContain(errors[0]);
	const text = await runProgram(
		args.map((arg) => arg.replace(/(stream-)?json$/, "text")),
		{ home: temporaryHome() },
	);
	expect(text.stdout).toBe("");
});
