import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pathChoices } from "../../../../src/tui/editor/path-choices.ts";

function choicesIn(files: readonly string[]): (typed: string) => string[] {
	const directory = mkdtempSync(join(tmpdir(), "agentree-paths-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	for (const file of files) {
		mkdirSync(dirname(join(directory, file)), { recursive: true });
		writeFileSync(join(directory, file), "");
	}
	symlinkSync("src", join(directory, "link"));
	symlinkSync("nowhere", join(directory, "lost"));
	return (typed) => pathChoices(typed, { directory, home: directory }).map(({ text }) => text);
}

const FILES = [
	"README.md",
	"readme",
	".env",
	"src/a.ts",
	"src/b c.ts",
	"src/deep/down/edit.ts",
	"src/.hidden",
	"node_modules/edit.js",
	"bad\nname",
];

test.each([
	["", ["README.md", "link/", "lost", "node_modules/", "readme", "src/"]],
	["s", ["src/"]],
	["READ", ["README.md"]],
	["Readme", ["README.md", "readme"]],
	["src/", ["src/a.ts", "src/b c.ts", "src/deep/"]],
	["src/.", ["src/.hidden"]],
	["link/a", ["link/a.ts"]],
	[".", [".env"]],
	["./sr", ["./src/"]],
	["~", ["~/"]],
	["~/sr", ["~/src/"]],
	["edit", ["src/deep/down/edit.ts"]],
	["../nowhere/", []],
	["nothing", []],
	["README.md/", []],
])("%j may be %j", (typed, choices) => {
	expect(choicesIn(FILES)(typed)).toEqual(choices);
});
