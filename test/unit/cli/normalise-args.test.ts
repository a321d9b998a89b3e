import { expect, test } from "vitest";
import { normaliseArgs, withDashedTaskLast } from "../../../src/cli/normalise-args.ts";

test.each([
	[["- fix the bug"], ["--", "- fix the bug"]],
	[["--help me with x"], ["--", "--help me with x"]],
	[["-v is broken, why?"], ["--", "-v is broken, why?"]],
	[
		["run", "-\nfix"],
		["run", "--", "-\nfix"],
	],
	[
		["run", "-m", "shell", "- a b", "-q"],
		["run", "-m", "shell", "-q", "--", "- a b"],
	],
	[
		["tree", "-qm", "shell", "-Change the colour"],
		["tree", "-qm", "shell", "--", "-Change the colour"],
	],
	[["--colour=red is ugly"], ["--", "--colour=red is ugly"]],
	[["--quiet=yes is wrong"], ["--", "--quiet=yes is wrong"]],
	[
		["-C/my files", "- x y"],
		["-C/my files", "--", "- x y"],
	],
	[
		["resume", "1.2", "- also x"],
		["resume", "--", "1.2", "- also x"],
	],
	[
		["run", "--json-schema", "a b.json", "- x y"],
		["run", "--json-schema", "a b.json", "--", "- x y"],
	],
	[
		["run", "--system-prompt", "- be brief", "- x y", "-q"],
		["run", "--system-prompt", "- be brief", "-q", "--", "- x y"],
	],
])("%j is read as %j", (args, ordered) => expect(withDashedTaskLast(args)).toEqual(ordered));

test.each([
	[["--system-prompt", "- be brief", "x"]],
	[["--system-prompt=be brief", "x"]],
	[["--json-schema=my files/a.json", "x"]],
	[["resume", "--credentials-file=my files/a.json", "1.2"]],
	[["rm", "--older-than=30 d"]],
	[["-C", "-my files", "x"]],
	[["-x"]],
	[["--help"]],
	[["ps", "-a"]],
	[["--", "x"]],
	[["-"]],
	[[]],
])("in %j nothing is moved", (args) => expect(withDashedTaskLast(args)).toEqual(args));

test.each([
	[
		["kill", "1.2"],
		["stop", "--now", "1.2"],
	],
	[
		["kill", "--json"],
		["stop", "--now", "--json"],
	],
	[
		["help", "kill"],
		["help", "stop"],
	],
	[
		["talk", "-m", "shell", "hello"],
		["chat", "-m", "shell", "hello"],
	],
	[
		["name", "the parser"],
		["ls", "--name=the parser"],
	],
	[
		["name", "k3f9", "the parser"],
		["ls", "--name=the parser", "k3f9"],
	],
	[
		["name", "k3f9", ""],
		["ls", "--name=", "k3f9"],
	],
	[
		["name", "--help"],
		["ls", "--help"],
	],
])("a former command is read as today's: %j", (args, today) => {
	expect(normaliseArgs(args, { hasTerminal: true, isStdinTTY: true })).toEqual(today);
});

test.each([
	[[], true, ["chat"]],
	[["-m", "opus"], true, ["chat", "-m", "opus"]],
	[["-m", "opus"], false, ["run", "-m", "opus"]],
	[["list the files"], true, ["run", "list the files"]],
	[["--worktree", "parser", "fix it"], true, ["run", "--worktree=parser", "fix it"]],
	[["--worktree", "fix it"], true, ["run", "fix it", "--worktree"]],
])("%j on a terminal (%j) is %j", (args, hasTerminal, line) => {
	expect(normaliseArgs(args, { hasTerminal, isStdinTTY: hasTerminal })).toEqual(line);
});
