/** docs/models.md and the help of --model say which names there are. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULT_MODEL, PROVIDERS } from "../../../src/models/providers.ts";
import { RUN_OPTIONS } from "../../../src/project/config/option-table.ts";

const DOCS = readFileSync(new URL("../../../docs/models.md", import.meta.url), "utf8");
const HELP = RUN_OPTIONS.find(({ flag }) => flag === "model")?.help ?? "";
const aliases = PROVIDERS.flatMap((provider) => [...(provider.aliases ?? [])]);

test("docs/models.md has each model and each short word, with the model that it stands for", () => {
	const names = PROVIDERS.flatMap((provider) => provider.names);
	expect([...names, DEFAULT_MODEL].filter((name) => !DOCS.includes(`\`${name}\``))).toEqual([]);
	const rows = [...DOCS.matchAll(/^\| `([^`]+)` +\| `([^`]+)` +\|$/gm)].map(([, word, name]) => [word, name]);
	expect(rows).toEqual(aliases);
});

test("the help of --model has the words that most use, and the names of models that are no service's", () => {
	const names = PROVIDERS.filter((provider) => provider.aliases === undefined).flatMap((provider) => provider.names);
	const own = [...new Set(names.map((name) => name.replace(/^\w+\//, "SERVICE/")))];
	const said = HELP.split(/,? or |, /);
	const words = aliases.map(([word]) => word);
	expect(own.filter((name) => !said.includes(name))).toEqual([]);
	expect(said.filter((word) => ![...words, ...own, "a model name"].includes(word))).toEqual([]);
	expect(said.filter((word) => words.includes(word)).length).toBeGreaterThan(2);
});
