/** The documentation's table of limits, wherever it stands, says what the program does. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RUN_OPTIONS } from "../../../src/config/option-table.ts";
import { LIMIT_TABLE } from "../../../src/core/limits.ts";
import { formatDefaultLimit } from "../../../src/text/limits.ts";

const ROOT = join(import.meta.dirname, "../../..");
const DOCUMENTS = ["README.md", ...readdirSync(join(ROOT, "docs")).map((file) => join("docs", file))];

/** `| --max-depth N | AGENTREE_MAX_DEPTH | 3 | … |`: flag, variable and default of each row of such a table. */
function limitRows(text: string): string[][] {
	return text
		.split("\n")
		.filter((line) => line.startsWith("|") && /`--max-[a-z-]+ /.test(line))
		.map((line) => {
			const cells = line.split("|").map((cell) => cell.trim().replaceAll("`", ""));
			return [cells[1]?.replace(/ .*/, "") ?? "", cells[2] ?? "", cells[3] ?? ""];
		});
}

test("the table of limits has every limit with its flag, its variable and its default, and no other", () => {
	const tables = DOCUMENTS.filter((file) => file.endsWith(".md"))
		.map((file) => limitRows(readFileSync(join(ROOT, file), "utf8")))
		.filter((rows) => rows.length > 0);
	const limits = LIMIT_TABLE.map(({ flag, variable, unit, default: value }) => [
		`--${flag}`,
		variable,
		value === undefined ? "none" : formatDefaultLimit(unit, value),
	]);
	expect(tables).toEqual([limits]);
});

test("every option of a run is named in the documentation", () => {
	const text = DOCUMENTS.filter((file) => file.endsWith(".md"))
		.map((file) => readFileSync(join(ROOT, file), "utf8"))
		.join("\n");
	const missing = RUN_OPTIONS.filter(
		({ flag, short }) => !text.includes(`--${flag}`) && !text.includes(`\`-${short}\``),
	);
	expect(missing.map(({ flag }) => flag)).toEqual([]);
});
