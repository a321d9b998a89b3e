/** docs/cli.md has every command, and every option of one that is no option of all runs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../../src/project/config/command-table.ts";
import { RUN_OPTIONS } from "../../../src/project/config/option-table.ts";
import { SANDBOX_OPTIONS } from "../../../src/project/config/sandbox-options.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../../docs/cli.md"), "utf8");
const rowOf = (word: string) => PAGE.split("\n").find((line) => line.startsWith(`| \`agent ${word}`)) ?? "";
const visible = COMMANDS.filter(({ isHidden }) => isHidden !== true);

test("docs/cli.md has a row for every command", () => {
	expect(visible.map(({ word }) => word).filter((word) => rowOf(word) === "")).toEqual([]);
});

test("a command's row names its own options", () => {
	const missing = visible.flatMap(({ word, options }) =>
		options
			.filter(
				({ flag, isHidden }) =>
					isHidden !== true && ![...RUN_OPTIONS, ...SANDBOX_OPTIONS].some((option) => option.flag === flag),
			)
			.filter(({ flag, short }) => !rowOf(word).includes(`--${flag}`) && !rowOf(word).includes(`-${short}`))
			.map(({ flag }) => `${word} --${flag}`),
	);
	expect(missing).toEqual([]);
});

test("docs/cli.md has no row for a command that does not exist", () => {
	const documented = [...PAGE.matchAll(/^\| `agent (?<word>[a-z]+)/gm)].map(({ groups }) => groups?.word);
	expect(documented.filter((word) => !visible.some((row) => row.word === word))).toEqual([]);
});
