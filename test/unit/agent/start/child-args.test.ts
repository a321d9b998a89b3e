import { expect, test } from "vitest";
import { parseChildLine, withWordFirst } from "../../../../src/agent/start/child-args.ts";
import { COMMANDS } from "../../../../src/project/config/command-table.ts";
import { RUN_OPTIONS } from "../../../../src/project/config/option-table.ts";

const start = (task: string | undefined, values: Record<string, string | boolean> = {}) => ({
	...{ is: "start", task },
	values,
});

test.each([
	[["count the lines"], start("count the lines")],
	[["run", "count"], start("count")],
	[["tree", "count"], start("count")],
	[["run", "ps"], start("ps")],
	[["-m", "shell", "run", "echo a"], start("echo a", { model: "shell" })],
	[["-q", "tree", "-m", "shell", "echo a"], start("echo a", { quiet: true, model: "shell" })],
	[["--", "run"], start("run")],
	[["--", "ps"], start("ps")],
	[["-"], start("-")],
	[["run"], start(undefined)],
	[[], start(undefined)],
	[["--", "--strange task"], start("--strange task")],
	[["count", "--max-depth", "1"], start("count", { "max-depth": "1" })],
	[["--max-depth=1", "-m", "shell", "-q", "count"], start("count", { "max-depth": "1", model: "shell", quiet: true })],
])("%j starts a child", (args, line) => {
	expect(parseChildLine(args)).toEqual(line);
});

test.each([
	[["count", "lines"]],
	[["run", "count", "lines"]],
	[["--unheard-of", "count"]],
	[["--max-depth"]],
	[["--quiet=yes", "count"]],
	[["-x"]],
	[["--help"]],
	[["--version"]],
	[["- fix the bug"]],
	[["-my plan"]],
	[["1.2"]],
	[["run", "20261127-201530-k3f9"]],
	[["run", "k3f9"]],
	[["k3f9"]],
	[["caf\ufffd"]],
])("%j is for the whole command line, which says what is wrong", (args) => {
	expect(parseChildLine(args)).toEqual({ is: "other" });
});

test.each([
	[
		["-m", "shell", "run", "echo a"],
		["run", "-m", "shell", "echo a"],
	],
	[
		["--max-depth=1", "-qC", "/tmp", "tree", "-v", "x"],
		["tree", "--max-depth=1", "-qC", "/tmp", "-v", "x"],
	],
	[
		["-q", "ps"],
		["ps", "-q"],
	],
	[
		["-m", "run", "a task"],
		["-m", "run", "a task"],
	],
	[
		["a task", "run"],
		["a task", "run"],
	],
	[
		["--json", "ps"],
		["--json", "ps"],
	],
	[
		["--", "run"],
		["--", "run"],
	],
	[["-m"], ["-m"]],
	[[], []],
])("%j is read as %j", (args, ordered) => {
	expect(withWordFirst(args)).toEqual(ordered);
});

test("every word that is a command, but run and tree, is for the whole command line, also after options", () => {
	for (const word of [...COMMANDS.map((row) => row.word), "help"]) {
		if (word === "run" || word === "tree") continue;
		expect(parseChildLine([word])).toEqual({ is: "other" });
		expect(parseChildLine(["--model", "shell", word])).toEqual({ is: "other" });
	}
});

test("every option of a run is read, by its flag and by its letter", () => {
	for (const { flag, short, value } of RUN_OPTIONS) {
		const given = value === undefined ? [] : ["some value"];
		const values = { [flag]: value === undefined ? true : "some value" };
		expect(parseChildLine([`--${flag}`, ...given, "task"])).toEqual(start("task", values));
		if (short !== undefined) expect(parseChildLine([`-${short}`, ...given, "task"])).toEqual(start("task", values));
	}
});
