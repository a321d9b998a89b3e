import { expect, test } from "vitest";
import type { CommandEnd } from "../../../../src/core/command.ts";
import { commandLines } from "../../../../src/faces/print/command-lines.ts";
import { PLAIN } from "../../../../src/faces/print/paint.ts";
import type { StoryView } from "../../../../src/faces/print/story-view.ts";
import type { ToldCommand } from "../../../../src/view/agent-story.ts";
import type { CommandSpan } from "../../../../src/view/timeline.ts";
import { T0 } from "../../record/fabricate.ts";

const GOOD: CommandEnd = { by: "exit", code: 0 };
const span: CommandSpan = {
	...{
		from: T0,
		to: T0 + 3_000,
		command: 1,
		toolUseId: "a",
		text: "make",
		log: "out/0001.log",
		waits: [],
		children: [],
	},
	...{ end: GOOD, outputBytes: 9 },
};

function lines(told: Partial<ToldCommand>, changes: Partial<StoryView> = {}): string[] {
	const view: StoryView = {
		...{ paint: PLAIN, columns: undefined, now: T0 + 12_000, isOver: true, isWhole: false, ref: "RUN/1" },
		pathOf: (log) => `1/${log}`,
		tailOf: () => undefined,
		...changes,
	};
	const made = {
		callId: "a",
		text: "make",
		command: 1,
		span,
		result: "",
		end: GOOD,
		outputBytes: 9,
		log: "out/0001.log",
	};
	return commandLines({ ...made, ...told }, view);
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`);

test("a command has its output and its end, with the agents that it has started", () => {
	expect(lines({ text: "make\nall", result: "A\nB\n", span: { ...span, children: ["1.1", "1.2"] } })).toEqual([
		"$ make",
		"> all",
		"    A",
		"    B",
		"    command 1: exit status 0, 3s, agents 1.1 1.2",
	]);
	const children = Array.from({ length: 12 }, (_, n) => `1.${n + 1}`);
	expect(lines({ span: { ...span, children } }).at(-1)).toMatch(/, agents 1\.1 .* 1\.8 … \(12 in all\)$/);
});

test.each([1, 24, 26])("a result of %d lines is shown whole", (count) => {
	const result = numbered(count).join("\n");
	expect(lines({ result }).slice(1, -1)).toEqual(numbered(count).map((line) => `    ${line}`));
});

// Seen to fail with the head alone, where what is wrong stands at the end.
test("of a longer result both ends are shown, what is left out is counted, and its file is named", () => {
	const shown = lines({ result: `${numbered(300).join("\n")}\n` });
	expect(shown.slice(11, 16)).toEqual([
		"    line 11",
		"    line 12",
		"    … 276 of 300 lines left out: 1/out/0001.log",
		"    line 289",
		"    line 290",
	]);
	expect(shown.at(-2)).toBe("    line 300");
	expect(lines({ result: numbered(300).join("\n") }, { isWhole: true })).toHaveLength(302);
	expect(lines({ result: numbered(300).join("\n"), log: undefined })[13]).toBe(
		"    … 276 of 300 lines left out: agent show RUN/1 --verbose",
	);
});

test("of a result that the model got without its middle all lines are counted that were printed", () => {
	const middle = (facts: string) => `\n[... the middle is left out${facts} ...]\n`;
	const result = (facts: string) => numbered(100).join("\n") + middle(facts) + numbered(100).join("\n");
	const left = (facts: string) => lines({ result: result(facts) })[13];
	expect(left(": 48,894 bytes in 5,000 lines in all; the whole is in /r/1/out/0001.log")).toBe(
		"    … 4976 of 5000 lines left out: 1/out/0001.log",
	);
	expect(left(", since 2 results share their room; the whole is in /r/1/out/0001.log")).toBe(
		"    … the middle is left out: 1/out/0001.log",
	);
});

test("of one long line both ends are shown", () => {
	const shown = lines({ result: `begin${"x".repeat(9_000)}end` });
	expect(shown[2]).toBe("    … 5008 characters left out: 1/out/0001.log");
	expect([shown[1]?.slice(0, 9), shown[3]?.slice(-3)]).toEqual(["    begin", "end"]);
});

test("on a terminal a long line goes on in the next row, below its beginning", () => {
	const text = "make one two three four five six";
	expect(lines({ text, result: "a long line of output that goes on" }, { columns: 24 })).toEqual([
		"$ make one two three",
		"  four five six",
		"    a long line of",
		"    output that goes on",
		"    command 1: exit",
		"    status 0, 3s",
	]);
});

test("of a very long command both ends are shown", () => {
	const shown = lines({ text: numbered(200).join("\n") });
	expect(shown[30]).toBe("  … 140 of 200 lines left out: agent show RUN/1 --verbose");
	expect([shown[29], shown[31]]).toEqual(["> line 30", "> line 171"]);
});

test("a command without a result has the end of its output file, and how it stands", () => {
	const tail = { text: "1\n2\r3\n", isCut: true, bytes: 70_000 };
	const open = { result: undefined, end: undefined, outputBytes: undefined, span: { ...span, end: undefined } };
	expect(lines(open, { isOver: false, tailOf: () => tail })).toEqual([
		"$ make",
		"    … 68 KiB before are left out: 1/out/0001.log",
		"    1",
		"    3",
		"    command 1: running 12s, 70000 bytes in 1/out/0001.log",
	]);
	expect(lines(open)).toEqual(["$ make", "    command 1: cut off, its end is not known"]);
	const long = { text: numbered(40).join("\n"), isCut: false, bytes: 310 };
	expect(lines(open, { tailOf: () => long }).slice(1, 3)).toEqual([
		"    … 119 bytes before are left out: 1/out/0001.log",
		"    line 17",
	]);
	const unstarted = { result: undefined, end: undefined, span: undefined, command: undefined, log: undefined };
	expect(lines(unstarted)).toEqual(["$ make", "    not started"]);
	expect(lines(unstarted, { isOver: false })).toEqual(["$ make", "    not started yet"]);
});

test("a command that was cut off has what the model was told of it, and its file", () => {
	expect(lines({ result: "Interrupted.", end: undefined, span: { ...span, end: undefined } })).toEqual([
		"$ make",
		"    Interrupted.",
		"    command 1: cut off, its end is not known, 9 bytes in 1/out/0001.log",
	]);
	expect(lines({ result: "of no call", text: undefined, command: undefined, end: undefined })).toEqual([
		"    of no call",
	]);
});

test.each([
	[{ by: "signal", signal: "SIGKILL" }, "    command 1: killed by SIGKILL, 3s"],
	[{ by: "timeout", afterMs: 120_000 }, "    command 1: timed out after 120 s, 3s"],
	[{ by: "not_started", reason: "no \u001b[2Jbash" }, "    command 1: not started: no bash, 3s"],
] satisfies [CommandEnd, string][])("a command that ended by %j says so", (end, line) => {
	expect(lines({ end }).at(-1)).toBe(line);
});
