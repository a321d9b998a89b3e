/** What stands at the left of the editor's rows: the mark of the prompt, and whether rows are hidden. Pure. */

const MARGIN = 2;
/** On a narrower terminal each column is for the text. */
const FEWEST_COLUMNS = 8;

export function marginOf(columns: number): number {
	return columns < FEWEST_COLUMNS ? 0 : MARGIN;
}

/** Columns for text. The last one is left for the cursor behind a full row, so no terminal carries anything to the next row. */
export function roomOf(columns: number): number {
	return Math.max(1, columns - marginOf(columns) - 1);
}

/** `!command` is run here, and `!!command` is not told to the agent either. */
export function promptMark(text: string): string {
	if (text.startsWith("!!")) return "% ";
	return text.startsWith("!") ? "$ " : "> ";
}
