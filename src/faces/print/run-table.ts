/** Runs and their agents as lines, for people: two a run, and one for each of its agents. Pure. */
import { fitWidth } from "../../text/width/width.ts";
import { agentColumns, agentRows } from "./agent-rows.ts";
import { alignColumns } from "./columns.ts";
import type { ListedRun } from "./listed-run.ts";
import type { Paint } from "./paint.ts";
import { type RunRowsView, runColumns, runNow } from "./run-rows.ts";

export interface TableView extends RunRowsView {
	/** The width of the terminal; undefined: no line is cut. */
	readonly columns: number | undefined;
	readonly paint: Paint;
	/** Agents that are over are listed, too. */
	readonly isWhole: boolean;
}

const INDENT = "  ";
const LEAST_COLUMNS = 10;

export function runTable(runs: readonly ListedRun[], view: TableView): string[] {
	const { now, paint, isWhole } = view;
	const columns = view.columns === undefined ? undefined : Math.max(view.columns, LEAST_COLUMNS);
	const table = alignColumns(runColumns(view), runs, { paint, columns });
	const families = runs.map((run) => agentRows(run, now, isWhole));
	const agents = alignColumns(agentColumns(columns), families.flat(), { paint, columns });
	const rows = [...agents.lines];
	const lines = runs.flatMap((run, at) => {
		const below = runNow(run, now);
		const text = `${INDENT}${below.text}`;
		const second =
			below.text === "" ? [] : [paint.tone(columns === undefined ? text : fitWidth(text, columns), below.tone)];
		return [table.lines[at] ?? "", ...second, ...rows.splice(0, families[at]?.length ?? 0)];
	});
	return [table.header, ...(agents.lines.length === 0 ? [] : [agents.header]), ...lines];
}
