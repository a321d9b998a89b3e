/** The documentation's table of commands names every command that help shows. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../../src/config/command-table.ts";

test("docs/cli.md has a row for each command that is shown, and none for another", () => {
	const text = readFileSync(join(import.meta.dirname, "../../../docs/cli.md"), "utf8");
	const documented = [...text.matchAll(/^\| `agent (?<word>[a-z]+)/gm)].map(({ groups }) => groups?.word);
	const shown = COMMANDS.filter(({ isHidden }) => isHidden !== true).map(({ word }) => word);
	expect(documented.sort()).toEqual(shown.sort());
});
