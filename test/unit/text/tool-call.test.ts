import { expect, test } from "vitest";
import { commandText, withoutEndNote } from "../../../src/text/tool-call.ts";

test("a call is its command, and what is no command is shown for what it is", () => {
	const calls = [{ command: "ls\n-l", timeout: 3 }, { path: "x" }, null, { command: 7 }];
	expect(calls.map((input) => commandText({ name: "bash", input }))).toEqual([
		"ls\n-l",
		'bash {"path":"x"}',
		"bash null",
		'bash {"command":7}',
	]);
});

test("the line on the end of a command is dropped where the tool has put it, and stays where a command printed it", () => {
	const end = { by: "exit", code: 3 } as const;
	const left = "[left running: 311 (sleep)]";
	expect(withoutEndNote("out\n[exit status 3]", end)).toBe("out");
	expect(withoutEndNote(`out\n[exit status 3]\n${left}`, end)).toBe(`out\n${left}`);
	expect(withoutEndNote("[exit status 3]", end)).toBe("");
	expect(withoutEndNote("out\n[exit status 4]", end)).toBe("out\n[exit status 4]");
	expect(withoutEndNote("out\n[exit status 3]", undefined)).toBe("out\n[exit status 3]");
	const early = "[exit status 3]\n1\n2\n3\n4\n";
	expect(withoutEndNote(early, end)).toBe(early);
});
