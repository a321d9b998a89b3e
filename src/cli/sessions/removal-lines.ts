/** What is shown before runs are removed: each with its size, and the sum. Pure. */
import { formatBytes } from "../../core/bytes.ts";
import { alignColumns, type Column } from "../../faces/print/columns.ts";
import type { Paint } from "../../faces/print/paint.ts";
import type { TreeSize } from "../../record/files/remove-tree.ts";
import { formatAge } from "../../text/durations.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { runTitle } from "./run-title.ts";
import type { Session } from "./session.ts";

export interface SizedRun {
	readonly run: string;
	readonly session: Pick<Session, "file" | "usedAt"> | undefined;
	readonly size: TreeSize;
}

export function removalLines(
	runs: readonly SizedRun[],
	{ now, columns, paint }: { now: number; columns: number | undefined; paint: Paint },
): string[] {
	const of: Column<SizedRun>[] = [
		{ head: "RUN", cell: ({ run }) => ({ text: oneLine(run), tone: "strong" }) },
		{ head: "AGE", toRight: true, cell: ({ session }) => ({ text: session ? formatAge(now - session.usedAt) : "?" }) },
		{ head: "SIZE", toRight: true, cell: ({ size }) => ({ text: sizeWords(size) }) },
		{ head: "TASK", cell: ({ session }) => ({ text: session ? runTitle(session.file) : "" }) },
	];
	const { header, lines } = alignColumns(of, runs, { paint, columns });
	const bytes = runs.reduce((sum, { size }) => sum + size.bytes, 0);
	const isWhole = runs.every(({ size }) => size.isWhole);
	const count = runs.length === 1 ? "1 run" : `${runs.length} runs`;
	return [header, ...lines, `${count}: ${sizeWords({ bytes, isWhole })}`];
}

/** `12 KiB`, `12 KiB+` where not all could be looked at. */
export function sizeWords({ bytes, isWhole }: TreeSize): string {
	return `${formatBytes(bytes)}${isWhole ? "" : "+"}`;
}
