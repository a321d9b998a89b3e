/** The rows of a table that stands in a text: a line each, with ` | ` between the cells. */
export function rowsOf(table: string): string[][] {
	const lines = table.split("\n").map((line) => line.trim());
	return lines.filter((line) => line !== "").map((line) => line.split(" | "));
}
