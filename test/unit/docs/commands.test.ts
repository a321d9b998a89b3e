/** docs/cli.md has every command and every option of one: an option of several commands in its own table, once. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../../src/project/config/command-table.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../../docs/cli.md"), "utf8");
const rows = (section: string) => (PAGE.split(`\n## ${section}\n`)[1] ?? "").split("\n## ")[0]?.split("\n") ?? [];
const COMMAND_ROWS = rows("Commands").filter((line) => line.startsWith("| `agent "));
const OPTION_ROWS = rows("Options").filter((line) => line.startsWith("| `-"));
const rowOf = (word: string) => COMMAND_ROWS.find((line) => line.startsWith(`| \`agent ${word}`)) ?? "";
const STARTING = ["run", "tree", "chat", "resume"];
const visible = COMMANDS.filter(({ group }) => group !== undefined).map((row) => ({
	...row,
	flags: row.options.filter(({ isHidden }) => isHidden !== true),
}));

const named = (text: string) => [...text.matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag);

test("docs/cli.md has a row for every command, and no other", () => {
	const documented = COMMAND_ROWS.map((line) => /^\| `agent ([a-z]+)/.exec(line)?.[1]).filter(Boolean);
	expect(documented).toEqual(visible.map(({ word }) => word).flatMap((word) => (word === "supervise" ? [] : [word])));
});

test("a flag of the commands that start or resume a run stands at the beginning of one row of the table of options", () => {
	const firstCells = OPTION_ROWS.flatMap((line) => named(line.split("|")[1] ?? ""));
	const flags = visible.filter(({ word }) => STARTING.includes(word)).flatMap((row) => row.flags);
	const shorts = ["quiet", "verbose"]; // as -q and -v, in one row
	const own = named(rowOf("resume"));
	const wanted = new Set(flags.map(({ flag }) => `--${flag}`).filter((flag) => !own.includes(flag)));
	for (const flag of wanted)
		if (!flag.startsWith("--max-") && !shorts.includes(flag.slice(2)))
			expect([flag, firstCells.filter((other) => other === flag).length]).toEqual([flag, 1]);
	expect(new Set(firstCells).size).toBe(firstCells.length);
});

test("every other command's row names its own options", () => {
	const shared = ["json", "env-file", "credentials-file", "cd"];
	const missing = visible
		.filter(({ word }) => !STARTING.includes(word))
		.flatMap(({ word, flags }) =>
			flags
				.filter(({ flag }) => !shared.includes(flag))
				.filter(({ flag, short }) => !rowOf(word).includes(`--${flag}`) && !rowOf(word).includes(`\`-${short}`))
				.map(({ flag }) => `${word} --${flag}`),
		);
	expect(missing).toEqual([]);
});
