import { expect, test } from "vitest";
import { normalizeArgs } from "../../../src/cli/normalize-args.ts";

/** Arguments on one line, with " | " between two. */
const split = (line: string) => (line === "" ? [] : line.split(" | "));
const normalized = (line: string, hasTerminal: boolean) =>
	normalizeArgs(split(line), { hasTerminal, isStdinTTY: hasTerminal });

// A task that begins with a dash goes last, behind `--`; what may be the value of an option stays where it is.
test.each([
	["- fix the bug", "run | -- | - fix the bug"],
	["--help me with x", "run | -- | --help me with x"],
	["-v is broken, why?", "run | -- | -v is broken, why?"],
	["run | -\nfix", "run | -- | -\nfix"],
	["run | -m | shell | - a b | -q", "run | -m | shell | -q | -- | - a b"],
	["tree | -qm | shell | -Change the color", "tree | -qm | shell | -- | -Change the color"],
	["--color=red is ugly", "run | -- | --color=red is ugly"],
	["--quiet=yes is wrong", "run | -- | --quiet=yes is wrong"],
	["-C/my files | - x y", "run | -C/my files | -- | - x y"],
	["resume | 1.2 | - also x", "resume | -- | 1.2 | - also x"],
	["run | --json-schema | a b.json | - x y", "run | --json-schema | a b.json | -- | - x y"],
	["run | --system-prompt | - be brief | - x y | -q", "run | --system-prompt | - be brief | -q | -- | - x y"],
	["--system-prompt | - be brief | x", "run | --system-prompt | - be brief | x"],
	["--system-prompt=be brief | x", "run | --system-prompt=be brief | x"],
	["--json-schema=my files/a.json | x", "run | --json-schema=my files/a.json | x"],
	["resume | --credentials-file=my files/a.json | 1.2", "resume | --credentials-file=my files/a.json | 1.2"],
	["rm | --older-than=30 d", "rm | --older-than=30 d"],
	["-C | -my files | x", "run | -C | -my files | x"],
	["ps | -a", "ps | -a"],
	["-- | x", "run | -- | x"],
	["-", "run | -"],
])("%j is read as %j", (line, read) => expect(normalized(line, false)).toEqual(split(read)));

test.each([
	["kill | 1.2", "stop | --now | 1.2"],
	["kill | --json", "stop | --now | --json"],
	["help | kill", "help | stop"],
	["talk | -m | shell | hello", "chat | -m | shell | hello"],
	["name | the parser", "ls | --name=the parser"],
	["name | k3f9 | the parser", "ls | --name=the parser | k3f9"],
	["name | k3f9 | ", "ls | --name= | k3f9"],
	["name | --help", "ls | --help"],
])("a former command is read as today's: %j", (line, today) => expect(normalized(line, true)).toEqual(split(today)));

test.each([
	["", true, "chat"],
	["-m | opus", true, "chat | -m | opus"],
	["-m | opus", false, "run | -m | opus"],
	["--help", true, "--help"],
	["list the files", true, "run | list the files"],
	["--worktree | parser | fix it", true, "run | --worktree=parser | fix it"],
	["--worktree | fix it", true, "run | fix it | --worktree"],
])("%j on a terminal (%j) is %j", (line, hasTerminal, read) => {
	expect(normalized(line, hasTerminal)).toEqual(split(read));
});
