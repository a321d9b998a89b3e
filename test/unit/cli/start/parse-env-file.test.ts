import { expect, test } from "vitest";
import { parseEnvFile } from "../../../../src/cli/start/credentials.ts";
import { AgentreeError } from "../../../../src/core/errors.ts";
import { cpuMs } from "../../cpu-ms.ts";

const parse = (text: string) => parseEnvFile(text, "--env-file keys.env");

test.each([
	["a plain line", "A=b", { A: "b" }],
	["a byte order mark and line ends of Windows", "\ufeffA=b\r\nB='c\r\nd'\r\n", { A: "b", B: "c\nd" }],
	["export, blanks around the sign and behind the value", "  export A = b  \n\texport\tB=c", { A: "b", B: "c" }],
	["comments and blank lines", "# A=1\n\n  # x\nA=b # c\nB=c#d\nC= # e\n", { A: "b", B: "c#d", C: "" }],
	["single quotes, in which nothing is replaced", "A='b \\n \"c\" # d' # e", { A: 'b \\n "c" # d' }],
	["double quotes with escapes", 'A="b\\n\\"c\\" \\\\ \\$d \\x"', { A: 'b\n"c" \\ $d \\x' }],
	["backquotes", "A=`b 'c' \"d\"`", { A: "b 'c' \"d\"" }],
	["quotes over several lines", 'A="b\nc=d\n"\nB=e', { A: "b\nc=d\n", B: "e" }],
	["a line that goes on behind a backslash in quotes", 'A="b\\\nc"', { A: "bc" }],
	["empty values", "A=\nB=''\nC=\"\"", { A: "", B: "", C: "" }],
	["a quote inside a value", "A=it's", { A: "it's" }],
	["a sign in the value", "A=b=c==", { A: "b=c==" }],
	["the last of several lines", "A=b\nA=c", { A: "c" }],
	["an empty file", "", {}],
])("%s", (_, text, variables) => expect(parse(text)).toEqual(variables));

test.each([
	["A=b\nsk-secret\n", "line 2: is not NAME=value"],
	["A=b\n\n1A=secret", "line 3: is not NAME=value"],
	["=secret", "line 1: is not NAME=value"],
	["A=b\nB='secret\n", "line 2: has an unclosed '"],
	['A=b\nB="secret\\"', 'line 2: has an unclosed "'],
	["A='secret' more", "line 1: has text after the quoted value"],
])("%j is an error that names file and line, and no secret", (text, words) => {
	expect(() => parse(text)).toThrow(new RegExp(`^--env-file keys\\.env ${words}$`));
});

test("a file in UTF-16 is told as that", () => {
	expect(() => parse("A\0=\0b\0")).toThrow("--env-file keys.env: contains NUL bytes, as a UTF-16 file does");
});

test.each(["A='", 'A="\\', "A=b #", "#", "A=` `", " "])("a megabyte of %j takes no time to speak of", (unit) => {
	const text = unit.repeat(1_000_000 / unit.length);
	const isRead = ["A=b #", "#", " "].includes(unit);
	const read = () => (isRead ? parse(text) : expect(() => parse(text)).toThrow(AgentreeError));
	expect(cpuMs(read)).toBeLessThan(10_000);
});
