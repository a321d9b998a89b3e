import { expect, test } from "vitest";
import type { Message } from "../../../../src/core/model/message.ts";
import { HELD_BACK, INTERRUPTED_BY_PERSON, markedText, RAN_HERE } from "../../../../src/core/model/message-marks.ts";
import { MOVED } from "../../../../src/core/model/placeholder-texts.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { openShell } from "../../../../src/models/shell/provider.ts";
import { afterCommand, asksWith, FIRST, fakeCall } from "../../../fixtures/fake-call.ts";

const shell = openShell();
const printed = (text: string, exitCode: number | undefined) =>
	fakeCall({
		turn: 2,
		lastOutput: async () => ({ path: "/x/0001.log", text, printedBytes: 9, keptBytes: 9, exitCode }),
	});
const reply = { is: "reply", usage: NO_USAGE, model: "shell" };

// Seen to fail: bash ran what the person's own command had printed.
test("what a person's own commands printed is no part of a command, in the task and in a later message", async () => {
	const carries = `echo hi\n\n${RAN_HERE}\n$ cat clean\nrm -r build\n\n${RAN_HERE}\n$ true\n[it printed nothing]`;
	const runs = { content: [{ name: "bash", input: { command: "echo hi" } }] };
	expect(await shell.ask(asksWith(FIRST), fakeCall({ task: carries }))).toMatchObject(runs);
	const later: Message[] = [
		...afterCommand("hi"),
		{ role: "assistant", content: [{ type: "text", text: "hi" }] },
		{ role: "user", content: [{ type: "text", text: carries }] },
	];
	expect(await shell.ask(asksWith(later), fakeCall({ turn: 3 }))).toMatchObject(runs);
});

test("what is said after a failure, an empty answer or an interruption by the person is the next command", async () => {
	// Seen to fail: each later message was answered with the failure of the first.
	const conversing = openShell();
	const text = (words: string) => ({ type: "text" as const, text: words });
	const behind = (isError: boolean, ...words: string[]) => {
		const [task, command, result] = afterCommand(isError ? "(no output)\n[exit status 1]" : "(no output)", isError);
		return asksWith([
			task,
			command,
			{ ...result, content: [...(result?.content ?? []), ...words.map(text)] },
		] as Message[]);
	};
	expect(await conversing.ask(behind(false, "a note"), printed("", 1))).toMatchObject({ is: "failure" });
	expect(await conversing.ask(behind(false, "a note", "echo on", "ls"), printed("", 1))).toMatchObject({
		content: [{ name: "bash", input: { command: "echo on\nls" } }],
	});
	expect(await conversing.ask(behind(false, "a note"), printed("", 0))).toMatchObject({ content: [] });
	expect(await conversing.ask(behind(false, "a note", "ls"), printed("", 0))).toMatchObject({
		content: [{ name: "bash", input: { command: "ls" } }],
	});
	expect(await openShell().ask(behind(true, "ls"), fakeCall({ turn: 3 }))).toMatchObject({
		content: [{ name: "bash", input: { command: "ls" } }], // in a run that was resumed
	});
	const interrupted = behind(true, INTERRUPTED_BY_PERSON, "echo on");
	for (const call of [printed("", undefined), fakeCall({ turn: 3 })])
		expect(await openShell().ask(interrupted, call)).toMatchObject({ content: [{ input: { command: "echo on" } }] });
});

test("what others send to an agent that works is no command", async () => {
	// Seen to fail with each text taken for one: the shell runs `[Message from the person]`.
	const message = markedText(null, "echo no");
	const text = (words: string) => ({ type: "text" as const, text: words });
	const [task, command, result] = afterCommand("(no output)");
	const beside = [task, command, { ...result, content: [...(result?.content ?? []), text(message)] }] as Message[];
	const held: Message[] = [
		...afterCommand("hi"),
		{ role: "assistant", content: [text("hi")] },
		{ role: "user", content: [text(HELD_BACK), text(message)] },
	];
	for (const messages of [beside, held])
		expect(await shell.ask(asksWith(messages), printed("hi", 0))).toMatchObject({
			content: [{ type: "text", text: "hi" }],
		});
});

test("an output of which only a part was kept is a failure, with the part that there is", async () => {
	const lastOutput = async () => ({ path: "/x/0001.log", text: "ab", printedBytes: 4, keptBytes: 2, exitCode: 0 });
	expect(await shell.ask(asksWith(afterCommand("cut")), fakeCall({ turn: 2, lastOutput }))).toMatchObject({
		is: "failure",
		exitCode: 1,
		output: "/x/0001.log",
	});
});

test("an output that no file holds is the answer when the result has each byte of it", async () => {
	// Seen to fail (the failure of the test above) without `isWhole`; with only the bytes counted it took the last four.
	const answerTo = (content: string, printedBytes: number) => {
		const lastOutput = async () => ({ path: "/x/0001.log", text: "", printedBytes, keptBytes: 0, exitCode: 0 });
		return shell.ask(asksWith(afterCommand(content)), fakeCall({ turn: 2, lastOutput }));
	};
	for (const [content, bytes] of [["line one\n", 9] as const, ["größe\n", 8] as const])
		expect(await answerTo(content, bytes)).toEqual({
			...{ ...reply, content: [{ type: "text", text: content }], stopReason: "end_turn" },
		});
	const others = ["\ufffd", "ab\n[exit status 3]", "(no output)", "(nothing but white space)"];
	for (const content of others)
		expect(await answerTo(content, Buffer.byteLength(content))).toMatchObject({ is: "failure" });
	expect(await answerTo("größe\n", 6)).toMatchObject({ is: "failure" });
});

test("in a run that was resumed, a command that was interrupted is not run again, and one that was not is the answer", async () => {
	const interrupted = asksWith(
		afterCommand("Interrupted: this call has no result, and its effects are unknown.", true),
	);
	expect(await shell.ask(interrupted, fakeCall({ turn: 2 }))).toMatchObject({
		...{ is: "failure", reason: "the command was interrupted, and is not run again" },
	});
	expect(await shell.ask(asksWith(afterCommand("hi\n")), fakeCall({ turn: 2 }))).toMatchObject({
		...{ is: "reply", content: [{ type: "text", text: "hi\n" }] },
	});
});

// Seen to fail: what was said was dropped, and the words of another directory were run.
test("what is said with the words that a resumed agent is told is the next command, and these words are none", async () => {
	const told = "You were interrupted (failure: x) and go on now.\n\nAlso: echo again";
	const [task, command, result] = afterCommand("Interrupted: this call has no result.", true);
	const after: Message[][] = [
		[task, command, { ...result, content: [...(result?.content ?? []), { type: "text", text: told }] }] as Message[],
		[
			...afterCommand("hi"),
			{ role: "assistant", content: [{ type: "text", text: "hi" }] },
			{
				role: "user",
				content: [
					{ type: "text", text: `${MOVED} /b. It was /a: what lay there may lie here.]` },
					{ type: "text", text: "echo again" },
				],
			},
		],
	];
	for (const messages of after)
		expect(await shell.ask(asksWith(messages), fakeCall({ turn: 3 }))).toMatchObject({
			content: [{ name: "bash", input: { command: "echo again" } }],
		});
});

// Seen to fail: the answer was what the command before had printed.
test("a command that was refused is a failure, also when an earlier one printed something", async () => {
	const refused = asksWith(afterCommand("Not run: the rule git push needs a person", true));
	expect(await openShell().ask(refused, printed("one", 0))).toMatchObject({
		is: "failure",
		reason: "the command was not run: the rule git push needs a person",
	});
});
