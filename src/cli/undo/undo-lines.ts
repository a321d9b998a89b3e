/** What an undo would do, and what it has done, in lines. Pure. */
import type { KeptState } from "../../core/schemas/kept-tree.ts";
import type { Paint } from "../../faces/print/paint.ts";
import { type Change, describeLeft, describeSkipped, type Left } from "../../project/undo/plan-put-back.ts";
import type { PutBackDone } from "../../project/undo/put-back.ts";
import type { Changes } from "../../project/undo/saved-tree.ts";
import { shownPath } from "../../project/undo/tree-paths.ts";
import { formatDuration } from "../../text/durations.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { fitWords } from "../../text/width/width.ts";
import { wrapWords } from "../../text/width/wrap.ts";
import { dateTime } from "../../view/words/clock-time.ts";

const MAX_LISTED = 100;
const MARKS: Readonly<Record<Change["is"], string>> = { added: "A", changed: "M", deleted: "D" };

export interface UndoView {
	readonly paint: Paint;
	readonly now: number;
	/** Undefined: no line is cut or broken. */
	readonly columns?: number | undefined;
}

export function undoLines(
	{ state, changes, top }: { state: KeptState; changes: Changes; top: string },
	{ paint, now, columns = Number.POSITIVE_INFINITY }: UndoView,
): string[] {
	const dim = (line: string) => paint.dim(wrapWords(line, columns));
	const skipped = describeSkipped(changes.kept.skipped);
	return [
		paint.bold(fitWords(`back to ${describeState(state)}, ${formatDuration(now - state.at)} ago`, columns)),
		...changeLines({ changes, top }),
		...leftLines(changes.left),
		...(skipped === undefined ? [] : [dim(`was not saved: ${oneLine(skipped)}`)]),
		dim("Not restored: ignored files, files outside this directory, and effects elsewhere (network, services)"),
	];
}

/** Which files have changed, and how. */
export function changeLines({ changes, top }: { changes: Changes; top: string }): string[] {
	const { length } = changes.changes;
	const left = new Set(changes.left.map(({ path }) => path));
	return [
		`${length === 1 ? "1 file has" : `${length} files have`} changed since, in ${oneLine(top)}:`,
		...changes.changes.slice(0, MAX_LISTED).map((change) => changeLine(change, left.has(change.path))),
		...more(length),
	];
}

/** `command`: puts back the kept state whose number follows it. */
export function doneLines({ written, removed, left }: PutBackDone, before: KeptState, command: string): string[] {
	return [
		`restored ${counted(written.length)}, removed ${counted(removed.length)}`,
		...leftLines(left),
		`to reverse this: ${command} ${before.id}`,
	];
}

/** A line for each kept state, cut where there are only so many columns. */
export function stateLines(states: readonly KeptState[], columns: number | undefined): string[] {
	const width = String(states.at(-1)?.id ?? "").length;
	return states.map((state) => {
		const line = `${String(state.id).padStart(width)}  ${dateTime(state.at)}  ${describeState(state)}`;
		return columns === undefined ? line : fitWords(line, columns);
	});
}

function describeState({ why }: KeptState): string {
	if (why.is === "undo") return `before the undo to state ${why.to}`;
	const text = oneLine(why.text);
	return text === "" ? "the beginning" : `before "${text}"`;
}

function changeLine({ path, is, lines }: Change, isLeft: boolean): string {
	const count = lines === undefined ? "" : `  +${lines.added} -${lines.removed}`;
	return `  ${MARKS[is]} ${oneLine(shownPath(path))}${count}${isLeft ? "  (not restored)" : ""}`;
}

function leftLines(left: readonly Left[]): string[] {
	const lines = left.map(
		({ path, because }) => `  not restored: ${oneLine(shownPath(path))}: ${describeLeft(because)}`,
	);
	return [...lines.slice(0, MAX_LISTED), ...more(left.length)];
}

function more(count: number): string[] {
	return count > MAX_LISTED ? [`  and ${count - MAX_LISTED} more`] : [];
}

function counted(files: number): string {
	return files === 1 ? "1 file" : `${files} files`;
}
