import { expect, test } from "vitest";
import { parseBashInput } from "../../../src/core/model/bash-tool.ts";

test("a command has 120 seconds unless it asks for others", () => {
	expect(parseBashInput({ command: "ls" })).toEqual({ is: "command", command: "ls", timeoutMs: 120_000 });
	expect(parseBashInput({ command: "ls", timeout: null })).toMatchObject({ timeoutMs: 120_000 });
	expect(parseBashInput({ command: "ls", timeout: 5, more: 1 })).toEqual({
		is: "command",
		command: "ls",
		timeoutMs: 5_000,
	});
	expect(parseBashInput({ command: "ls", timeout: 0.25 })).toMatchObject({ timeoutMs: 250 });
	expect(parseBashInput({ command: "ls", timeout: "30" })).toMatchObject({ timeoutMs: 30_000 });
});

test("more than 600 seconds are 600", () => {
	for (const timeout of [601, 120_000, Number.POSITIVE_INFINITY, "3600"])
		expect(parseBashInput({ command: "ls", timeout })).toMatchObject({ timeoutMs: 600_000 });
});

test("a timeout of almost nothing is at least a millisecond", () => {
	expect(parseBashInput({ command: "ls", timeout: 1e-9 })).toMatchObject({ timeoutMs: 1 });
});

test("a command keeps its text as it is", () => {
	const command = "  cat <<'X'\n\ttext é 👍\nX\n";
	expect(parseBashInput({ command })).toMatchObject({ is: "command", command });
});

const NONSENSE: [input: unknown, reason: RegExp][] = [
	[undefined, /object.*missing/],
	[null, /object.*null/],
	["ls", /object.*a string/],
	[42, /object.*a number/],
	[["ls"], /object.*a list/],
	[{ unreadable_json: '{"command":"l' }, /not a complete JSON object/],
	[{}, /"command" must be a string, not missing/],
	[{ command: null }, /not null/],
	[{ command: ["ls", "-l"] }, /not a list/],
	[{ command: { command: "ls" } }, /not an object/],
	[{ command: 3 }, /not a number/],
	[{ command: "" }, /empty/],
	[{ command: " \n\t" }, /empty/],
	[{ command: "echo \0" }, /NUL/],
	[{ command: "ls", timeout: -1 }, /above 0, not a number -1/],
	[{ command: "ls", timeout: 0 }, /above 0/],
	[{ command: "ls", timeout: Number.NaN }, /NaN/],
	[{ command: "ls", timeout: "30s" }, /not a string "30s"/],
	[{ command: "ls", timeout: "" }, /not a string ""/],
	[{ command: "ls", timeout: "-5" }, /"-5"/],
	[{ command: "ls", timeout: true }, /not a boolean/],
	[{ command: "ls", timeout: { seconds: 5 } }, /not an object/],
	[{ command: "ls", timeout: [5] }, /not a list/],
];

for (const [input, reason] of NONSENSE)
	test(`${JSON.stringify(input) ?? "undefined"} is answered with a reason`, () => {
		const parsed = parseBashInput(input);
		expect(parsed.is).toBe("invalid");
		expect(parsed.is === "invalid" && parsed.reason).toMatch(reason);
	});
