/** docs/guarantees.md names the tests that hold its promises, section by section, and they are there; its table is what they try. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FEATURES } from "../../process/matrix/features.ts";
import { COLUMNS } from "../../process/matrix/place.ts";

const ROOT = join(import.meta.dirname, "../../..");
const TEXT = readFileSync(join(ROOT, "docs/guarantees.md"), "utf8");

const SECTIONS = TEXT.split(/^## /m)
	.slice(1)
	.map((section) => ({ title: section.split("\n", 1)[0] ?? "", section }));

/** The names after `Tests:` at a section's end: `process/ending/stop` is `test/process/ending/stop.test.ts`. */
function testsOf(section: string): string[] {
	const [, named = ""] = /^Tests: ((?:`[^`]+`(?:,\s+|\.))+)$/m.exec(section) ?? [];
	return [...named.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

test("each section of promises names its tests, and each of them is there", () => {
	// Seen to fail with `process/ending/stopp`, and with a section without tests.
	const without = SECTIONS.filter(({ section }) => testsOf(section).length === 0).map(({ title }) => title);
	const named = SECTIONS.flatMap(({ section }) => testsOf(section));
	expect(without).toEqual(["Not promised"]);
	expect(named.filter((name) => !existsSync(join(ROOT, "test", `${name}.test.ts`)))).toEqual([]);
});

test("the table of features has a row for each that is tried, and in each cell what the test expects there", () => {
	// Seen to fail with a row taken out of the table, and with `stays` in place of `goes with the run`.
	const section = SECTIONS.find(({ title }) => title === "The same with a sandbox and without")?.section ?? "";
	const rows = section.split("\n").filter((line) => line.startsWith("| "));
	const cells = rows.map((row) => row.split("|").slice(1, -1)).map((row) => row.map((cell) => cell.trim()));
	const [head = [], , ...body] = cells;
	const inLink = (text: string) => text.replace(/^\[(.*)\]\(.*\)$/, "$1");
	expect(head.map(inLink)).toEqual(["feature", ...COLUMNS]);
	expect(body).toEqual(FEATURES.map(({ name, outcome }) => [name, ...COLUMNS.map((column) => outcome[column])]));
});
