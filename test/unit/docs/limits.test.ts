/** The documentation's table of limits, wherever it stands, says what the program does. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LIMIT_TABLE } from "../../../src/core/limits/limits.ts";
import { RUN_OPTIONS } from "../../../src/project/config/option-table.ts";
import { BOUND_VARIABLES, RETRY_VARIABLES } from "../../../src/project/config/read-limits.ts";
import { formatDefaultLimit } from "../../../src/text/limits.ts";

const ROOT = join(import.meta.dirname, "../../..");
const DOCUMENTS = ["README.md", ...readdirSync(join(ROOT, "docs")).map((file) => join("docs", file))].filter((file) =>
	file.endsWith(".md"),
);
const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");
const documentation = () => DOCUMENTS.map(textOf).join("\n");

/** `| --max-depth N | AGENTREE_MAX_DEPTH | 3 | … |`: flag, variable and default of each row of such a table. */
function limitRows(text: string): string[][] {
	return text
		.split("\n")
		.filter((line) => line.startsWith("|") && /`--max-[a-z-]+ [A-Z]+`/.test(line))
		.map((line) => {
			const cells = line.split("|").map((cell) => cell.trim().replaceAll("`", ""));
			return [cells[1]?.replace(/ .*/, "") ?? "", cells[2] ?? "", cells[3] ?? ""];
		});
}

test("the table of limits has every limit with its flag, its variable and its default, and no other", () => {
	const tables = DOCUMENTS.map((file) => limitRows(textOf(file))).filter((rows) => rows.length > 0);
	const limits = LIMIT_TABLE.map(({ flag, variable, unit, default: value }) => [
		`--${flag}`,
		variable,
		value === undefined ? "none" : formatDefaultLimit(unit, value),
	]);
	expect(tables).toEqual([limits]);
});

test("every option of a run is named in the documentation", () => {
	const text = documentation();
	const missing = RUN_OPTIONS.filter(
		({ flag, short }) => !text.includes(`--${flag}`) && !text.includes(`\`-${short}\``),
	);
	expect(missing.map(({ flag }) => flag)).toEqual([]);
});

test("every variable for a whole run is in the documentation", () => {
	const rows = [...BOUND_VARIABLES, ...RETRY_VARIABLES];
	expect(rows.filter(({ variable }) => !documentation().includes(`\`${variable}`)).map((row) => row.variable)).toEqual(
		[],
	);
});
