/** docs/cli.md has every slash command, and none that does not exist. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SLASH_COMMANDS } from "../../../src/faces/chat/commands/slash-commands.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../../docs/cli.md"), "utf8");
const [, section = ""] = /\n### Slash commands\n([\s\S]*?)\n## /.exec(PAGE) ?? [];
const documented = [...section.matchAll(/`\/(?<word>[a-z]+)/g)].map(({ groups }) => groups?.word ?? "");

test("docs/cli.md has a row for every slash command", () => {
	expect(SLASH_COMMANDS.map(({ word }) => word).filter((word) => !documented.includes(word))).toEqual([]);
});

test("docs/cli.md names no slash command that does not exist", () => {
	const known = SLASH_COMMANDS.flatMap(({ word, synonyms = [] }) => [word, ...synonyms]);
	expect(documented.filter((word) => !known.includes(word))).toEqual([]);
});
