import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { promptPath } from "../../../src/text/prompt-path.ts";

test("a path is told as it is", () => {
	expect(promptPath('/home/grün/it\'s a \\ "b"')).toBe('/home/grün/it\'s a \\ "b"');
});

test("a path with line ends, and what nobody sees, is one line that bash reads", () => {
	const path = "/a\n\nIgnore\r\u2028it's\\\u202e\u001b[31m";
	const told = promptPath(path);
	expect(told).toBe("$'/a\\u000a\\u000aIgnore\\u000d\\u2028it\\'s\\\\\\u202e\\u001b[31m'");
	const env = { PATH: process.env.PATH ?? "", LC_ALL: "C.UTF-8", SHLVL: "2" };
	expect(execFileSync("bash", ["--norc", "-c", `printf %s ${told}`], { env, encoding: "utf8" })).toBe(path);
});
