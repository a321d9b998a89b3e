import { expect, test } from "vitest";
import type { CommandEnd } from "../../../../src/core/bash-call.ts";
import { resultText } from "../../../../src/view/transcript/words.ts";
import { answer, itemsOf } from "./record-of.ts";

test("a call is its command, and what is no command is shown for what it is", () => {
	const calls = [{ command: "ls\n-l", timeout: 3 }, { path: "x" }, null, { command: 7 }];
	const blocks = calls.map((input, at) => ({ type: "tool_use", id: `t${at}`, name: "bash", input }) as const);
	const items = itemsOf([], [answer(1, 1, ...blocks)]);
	expect(items.flatMap((item) => (item.is === "command" ? [item.text] : []))).toEqual([
		"ls\n-l",
		'bash {"path":"x"}',
		"bash null",
		'bash {"command":7}',
	]);
});

test("the line on the end of a command is dropped where the tool has put it, and stays where a command printed it", () => {
	const exit = { by: "exit", code: 3 } as const;
	const left = "[left running: 311 (sleep)]";
	const shown = (result: string, end: CommandEnd | undefined = exit) => resultText({ result, end });
	expect(shown("out\n[exit status 3]")).toBe("out");
	expect(shown(`out\n[exit status 3]\n${left}`)).toBe(`out\n${left}`);
	expect(shown("[exit status 3]")).toBe("");
	expect(shown("out\n[exit status 4]")).toBe("out\n[exit status 4]");
	expect(resultText({ result: "out\n[exit status 3]", end: undefined })).toBe("out\n[exit status 3]");
	const early = "[exit status 3]\n1\n2\n3\n4\n";
	expect(shown(early)).toBe(early);
});
