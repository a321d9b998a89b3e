/** A command with its output and its end as `agent show` prints them: of a long output the beginning and the end. Pure. */
import { formatBytes } from "../../core/bytes.ts";
import { describeCommandEnd } from "../../core/command.ts";
import { formatDuration } from "../../text/durations.ts";
import { type Ends, type EndsRoom, endsOf } from "../../text/ends.ts";
import { plainText } from "../../text/safe/strip-terminal.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { middleLeftOut } from "../../text/tool-call.ts";
import type { ToldCommand } from "../../view/agent-story.ts";
import { rowsOf } from "./rows.ts";
import type { StoryView } from "./story-view.ts";

const OUTPUT_ROOM: EndsRoom = { lines: 12, chars: 2_000 };
const CALL_ROOM: EndsRoom = { lines: 30, chars: 4_000 };
const INDENT = "    ";
const MOST_CHILDREN = 8;

export function commandLines(told: ToldCommand, view: StoryView): string[] {
	return [...callLines(told.text ?? "", view), ...(told.result === undefined ? open(told, view) : ended(told, view))];
}

/** `first`: what stands before the command. */
export function callLines(text: string, view: StoryView, first = "$ "): string[] {
	const [rest, more] = [first.replace("$", ">"), first.replace("$", " ")];
	const rows = (part: string, before: string) => rowsOf(part, { columns: view.columns, first: before, rest, more });
	const { cyan, dim } = view.paint;
	const ends = view.isWhole ? undefined : endsOf(text, CALL_ROOM);
	if (ends === undefined) return rows(text, first).map(cyan);
	const left = rowsOf(`… ${leftOut(ends, undefined)} left out: ${wholeBy(view)}`, {
		columns: view.columns,
		first: more,
	});
	return [...rows(ends.head, first).map(cyan), ...left.map(dim), ...rows(ends.tail, rest).map(cyan)];
}

function ended(told: ToldCommand, view: StoryView): string[] {
	const { result = "", command, end } = told;
	const isCutOff = command !== undefined && end === undefined;
	return [
		...resultLines(result, told, view),
		...(command === undefined ? [] : endLines(told, view, isCutOff ? fileFacts(told, view) : [])),
	];
}

/** What the model got; what is left out of it here, or was there, is counted, and it is said where the whole is. */
export function resultLines(result: string, { log }: Pick<ToldCommand, "log">, view: StoryView): string[] {
	const text = result.replace(/\n+$/, "");
	const ends = view.isWhole ? undefined : endsOf(text, OUTPUT_ROOM);
	if (ends === undefined) return outputRows(text, view);
	const where = log === undefined ? wholeBy(view) : view.pathOf(log);
	const what = leftOut(ends, middleLeftOut(text));
	const line = rowsOf(`… ${what} left out: ${where}`, { columns: view.columns, first: INDENT }).map(view.paint.dim);
	return [...outputRows(ends.head, view), ...line, ...outputRows(ends.tail, view)];
}

/** `281 of 301 lines`; `48000 characters` of a long line. `middle`: what the tool had left out before. */
function leftOut({ head, tail, lines, chars }: Ends, middle: ReturnType<typeof middleLeftOut>): string {
	const shown = head.split("\n").length + tail.split("\n").length;
	const all = middle === undefined ? shown + lines : (middle.lines ?? 0);
	if (middle !== undefined && all <= shown) return "the middle is";
	return lines === 0 ? `${chars} characters` : `${all - shown} of ${all} lines`;
}

function wholeBy({ ref }: StoryView): string {
	return `agent show ${ref} --verbose`;
}

/** A command whose result is not recorded: the end of its output is in its file. */
function open(told: ToldCommand, view: StoryView): string[] {
	const { span, log } = told;
	if (span === undefined || log === undefined)
		return [view.paint.dim(`${INDENT}not started${view.isOver ? "" : " yet"}`)];
	const tail = view.tailOf(log);
	const lines = (tail?.text ?? "").replace(/\n+$/, "").split("\n");
	const shown = (view.isWhole ? lines : lines.slice(-2 * OUTPUT_ROOM.lines)).join("\n");
	const isCut = tail !== undefined && (tail.isCut || shown.length < lines.join("\n").length);
	const left = isCut
		? `… ${formatBytes(tail.bytes - Buffer.byteLength(shown))} before are left out: ${view.pathOf(log)}`
		: "";
	const known = { ...told, outputBytes: told.outputBytes ?? tail?.bytes };
	return [
		...rowsOf(left, { columns: view.columns, first: INDENT }).map(view.paint.dim),
		...outputRows(plainText(shown), view),
		...endLines(known, view, tail === undefined ? [] : fileFacts(known, view)),
	];
}

function outputRows(text: string, { columns }: StoryView): string[] {
	return rowsOf(text, { columns, first: INDENT, rest: INDENT, more: INDENT });
}

/** `command 3: exit status 1, 1m05s, agents 1.1 1.2`. `more`: further facts. */
export function endLines(told: ToldCommand, view: StoryView, more: readonly string[] = []): string[] {
	const { command, end, span } = told;
	const { paint, columns } = view;
	const isGood = end === undefined || (end.by === "exit" && end.code === 0);
	const children = span?.children ?? [];
	const uncounted = children.length > MOST_CHILDREN ? ` … (${children.length} in all)` : "";
	const facts = [
		end === undefined ? withoutEnd(told, view) : oneLine(describeCommandEnd(end)),
		...(end !== undefined && span?.end !== undefined ? [formatDuration(span.to - span.from)] : []),
		...(children.length === 0 ? [] : [`agents ${children.slice(0, MOST_CHILDREN).join(" ")}${uncounted}`]),
		...more,
	];
	return rowsOf(`command ${command}: ${facts.join(", ")}`, { columns, first: INDENT }).map(
		isGood ? paint.dim : paint.red,
	);
}

/** Where the output is, and how much there is of it. */
function fileFacts({ log, outputBytes }: ToldCommand, { pathOf }: StoryView): string[] {
	if (log === undefined || outputBytes === undefined) return [];
	return [`${outputBytes} ${outputBytes === 1 ? "byte" : "bytes"} in ${pathOf(log)}`];
}

function withoutEnd({ span }: ToldCommand, { isOver, now }: StoryView): string {
	if (isOver || span === undefined) return "cut off, its end is not known";
	return `running ${formatDuration(now - span.from)}`;
}
