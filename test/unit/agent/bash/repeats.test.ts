import { expect, test } from "vitest";
import { countRepeat, type Repeats, withRepeatNote } from "../../../../src/agent/bash/tool-calls.ts";

const after = (...pairs: [command: string, result: string][]) =>
	pairs.reduce<Repeats | undefined>((before, [command, result]) => countRepeat(before, command, result), undefined);
const same = (times: number) => Array.from({ length: times }, (): [string, string] => ["ls", "a\n"]);

test("the same command with the same result is counted, and any other begins the count anew", () => {
	expect(after(...same(4))?.times).toBe(4);
	expect(after(...same(4), ["ls", "b\n"])?.times).toBe(1);
	expect(after(...same(4), ["ls -l", "a\n"])?.times).toBe(1);
	expect(after(...same(4), ["pwd", "/\n"], ...same(2))?.times).toBe(2);
});

test("from the fifth time on the result says so in a line of its own, and not before", () => {
	const note = (times: number, result: string) => withRepeatNote({ command: "ls", result, times });
	expect(note(4, "a\n")).toBe("a\n");
	const said = "this command has given this result 5 times in a row";
	expect(note(5, "a\n")).toMatch(new RegExp(`^a\n\\[${said}: .*\\]$`));
	expect(note(5, "a")).toMatch(new RegExp(`^a\n\\[${said}`));
	expect(note(5, "")).toMatch(new RegExp(`^\\[${said}`));
	expect(note(22, "a")).toContain("22 times");
});
