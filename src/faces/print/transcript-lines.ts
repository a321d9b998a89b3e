/** The items of a transcript as lines for a person. Nothing is printed here; what agents wrote is made safe for a terminal. */

import { formatBytes } from "../../core/bytes.ts";
import type { Agent, Ending } from "../../core/model/agent.ts";
import { wholeEnding } from "../../text/describe-ending.ts";
import { type Ends, type EndsRoom, endsOf } from "../../text/ends.ts";
import { counted } from "../../text/numbers.ts";
import { plainText } from "../../text/safe/strip-terminal.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { doingLine } from "../../view/agents/doing-now.ts";
import type {
	CommandItem,
	MessageItem,
	NoteItem,
	NoticeItem,
	SaidItem,
	TranscriptItem,
	TurnItem,
} from "../../view/transcript/items.ts";
import {
	commandStanding,
	isTurningPoint,
	leftRunning,
	type Moment,
	messageHead,
	messageText,
	middleLeftOut,
	noteHead,
	type OutputFiles,
	resultText,
	turnFacts,
	turnStart,
} from "../../view/transcript/words.ts";
import { shortTime } from "../../view/words/clock-time.ts";
import type { Paint } from "./paint.ts";
import { rowsOf } from "./rows.ts";

export const THINKING = "(thinking) ";

export function itemLines(item: TranscriptItem, view: TranscriptView): string[] {
	switch (item.is) {
		case "turn":
			return ["", ...turnTitle(item, view)];
		case "said":
			return saidLines(item, view);
		case "command":
			return commandLines(item, view);
		case "message":
			return messageLines(item, view);
		case "note":
			return noteLines(item, view);
		case "notice":
			return noticeLines(item, view);
	}
}

/** The words of a person, or of the agent above. */
export function quoted(text: string, { paint, columns }: Pick<TranscriptView, "paint" | "columns">): string[] {
	return rowsOf(text, { columns, first: "> ", rest: "> ", more: "> " }).map(paint.bold);
}

/** `turn 2  20:15:32  took 2s, 1.2k in / 80 out, $0.0123`. */
export function turnTitle(item: TurnItem, view: TranscriptView, facts = turnFacts(item, view)): string[] {
	const { paint, columns } = view;
	const at = turnStart(item);
	const first = [`turn ${item.turn}`, ...(at === undefined ? [] : [shortTime(at)])].join("  ");
	const told = oneLine(facts.join(", "));
	return (told === "" ? [first] : rowsOf(told, { columns, first: `${first}  ` })).map(paint.bold);
}

/** `-- 20:15:32  what happened`. */
export function noticeLines(
	{ at, text, isTrouble }: Pick<NoticeItem, "at" | "text" | "isTrouble">,
	view: TranscriptView,
): string[] {
	const { columns, paint } = view;
	return rowsOf(oneLine(text), { columns, first: `-- ${shortTime(at)}  ` }).map(isTrouble ? paint.red : paint.dim);
}

/** How the agent has ended, with the whole cause. `known`: the error that is told right above, and not once more. */
export function endingLines(
	ending: Ending,
	at: number,
	{ view, known }: { view: TranscriptView; known?: string | undefined },
): string[] {
	const isKnown = ending.by === "failure" && ending.reason === known;
	const text = isKnown ? "failure, by the error above" : wholeEnding(ending);
	const rows = rowsOf(text, { columns: view.columns, first: `ended  ${shortTime(at)}  ` });
	return ["", ...rows.map((row) => view.paint.bold(ending.by === "answer" ? row : view.paint.red(row)))];
}

/** What the agent does now. */
export function standingLines(agent: Agent, { paint, columns, now }: TranscriptView): string[] {
	const rows = rowsOf(doingLine(agent, { now }), { columns, first: `now    ${shortTime(now)}  ` });
	return ["", ...rows.map(paint.bold)];
}

function saidLines({ kind, text }: SaidItem, { paint, columns }: TranscriptView): string[] {
	switch (kind) {
		case "text":
			return rowsOf(text, { columns });
		case "thinking":
			return rowsOf(text, { columns, first: THINKING }).map(paint.dim);
		case "command":
			return []; // it is shown when it runs
		case "other":
			return [paint.dim(`(${oneLine(text)})`)];
	}
}

function messageLines(item: MessageItem, view: TranscriptView): string[] {
	const head = messageHead(item);
	return ["", ...(head === undefined ? [] : headline(item.at, head, view)), ...quoted(messageText(item), view)];
}

/** A call is one dim line. A compaction is a mark that is not overlooked, with the summary below. */
function noteLines(item: NoteItem, view: TranscriptView): string[] {
	const { paint, columns } = view;
	const { note } = item;
	const isMadeAgain = note.note === "call" && note.outcome === "retried"; // nobody needs what had come of it
	const text = isMadeAgain ? "" : item.text;
	const head = noteHead({ ...item, text });
	if (head === undefined) return [];
	const title = isTurningPoint(note)
		? ["", ...headline(note.at, head, view)]
		: noticeLines({ at: note.at, text: head, isTrouble: false }, view);
	return [...title, ...rowsOf(text, { columns, first: "   " }).map(paint.dim)];
}

function headline(at: number, text: string, { paint, columns }: TranscriptView): string[] {
	return rowsOf(`${text} ==`, { columns, first: `== ${shortTime(at)}  ` }).map(paint.bold);
}

/** A command with its output and its end as `agent show` prints them: of a long output the beginning and the end. Pure. */

const OUTPUT_ROOM: EndsRoom = { lines: 12, chars: 2_000 };
const CALL_ROOM: EndsRoom = { lines: 30, chars: 4_000 };
const INDENT = "    ";
const MOST_CHILDREN = 8;

export function commandLines(item: CommandItem, view: TranscriptView): string[] {
	const { text = "", result, command, end } = item;
	if (result === undefined) return [...callLines(text, view), ...openLines(item, view)];
	const where = end === undefined ? fileFacts(item, view) : [];
	const ending = command === undefined ? [] : endLines(item, view, where);
	return [...callLines(text, view), ...resultLines(item, view), ...ending];
}

/** `first`: what stands before the command. */
export function callLines(text: string, view: TranscriptView, first = "$ "): string[] {
	const [rest, more] = [first.replace("$", ">"), first.replace("$", " ")];
	const rows = (part: string, before: string) => rowsOf(part, { columns: view.columns, first: before, rest, more });
	const { cyan, dim } = view.paint;
	const ends = view.isWhole ? undefined : endsOf(text, CALL_ROOM);
	if (ends === undefined) return rows(text, first).map(cyan);
	const left = rowsOf(`… ${leftOut(ends, undefined)} omitted: ${wholeBy(view)}`, {
		columns: view.columns,
		first: more,
	});
	return [...rows(ends.head, first).map(cyan), ...left.map(dim), ...rows(ends.tail, rest).map(cyan)];
}

/** What the model got; what is left out of it here, or was there, is counted, and it is said where the whole is. */
export function resultLines(item: CommandItem, view: TranscriptView): string[] {
	const { log } = item;
	const text = resultText(item).replace(/\n+$/, "");
	const ends = view.isWhole ? undefined : endsOf(text, OUTPUT_ROOM);
	if (ends === undefined) return outputRows(text, view);
	const where = log === undefined ? wholeBy(view) : view.pathOf(log);
	const what = leftOut(ends, middleLeftOut(text));
	const line = rowsOf(`… ${what} omitted: ${where}`, { columns: view.columns, first: INDENT }).map(view.paint.dim);
	return [...outputRows(ends.head, view), ...line, ...outputRows(ends.tail, view)];
}

/** `command 3: exit status 1, 1m05s, agents 1.1 1.2`. `more`: further facts. */
export function endLines(item: CommandItem, view: TranscriptView, more: readonly string[] = []): string[] {
	const { command, children, end } = item;
	const { paint, columns } = view;
	const { words, took, isGood } = commandStanding(item, view);
	const uncounted = children.length > MOST_CHILDREN ? ` … (${children.length} in all)` : "";
	const left = leftRunning(item);
	const facts = [
		end === undefined && took !== undefined ? `${words} ${took}` : oneLine(words),
		...(end === undefined || took === undefined ? [] : [took]),
		...(children.length === 0 ? [] : [`agents ${children.slice(0, MOST_CHILDREN).join(" ")}${uncounted}`]),
		...(left === undefined ? [] : [oneLine(left)]),
		...more,
	];
	const rows = rowsOf(`command ${command}: ${facts.join(", ")}`, { columns, first: INDENT });
	return rows.map(isGood ? paint.dim : paint.red);
}

/** `281 of 301 lines`; `48000 characters` of a long line. `middle`: what the tool had left out before. */
function leftOut({ head, tail, lines, chars }: Ends, middle: ReturnType<typeof middleLeftOut>): string {
	const shown = head.split("\n").length + tail.split("\n").length;
	const all = middle === undefined ? shown + lines : (middle.lines ?? 0);
	if (middle !== undefined && all <= shown) return "the middle is";
	return lines === 0 ? `${chars} characters` : `${all - shown} of ${all} lines`;
}

function wholeBy({ ref }: TranscriptView): string {
	return `agent show ${ref} --verbose`;
}

/** A command whose result is not recorded: the end of its output is in its file. */
function openLines(item: CommandItem, view: TranscriptView): string[] {
	const { log } = item;
	if (item.command === undefined || log === undefined)
		return [view.paint.dim(`${INDENT}${commandStanding(item, view).words}`)];
	const tail = view.tailOf(log);
	const lines = (tail?.text ?? "").replace(/\n+$/, "").split("\n");
	const shown = (view.isWhole ? lines : lines.slice(-2 * OUTPUT_ROOM.lines)).join("\n");
	const isCut = tail !== undefined && (tail.isCut || shown.length < lines.join("\n").length);
	const left = isCut
		? `… ${formatBytes(tail.bytes - Buffer.byteLength(shown))} earlier omitted: ${view.pathOf(log)}`
		: "";
	const known = { ...item, outputBytes: item.outputBytes ?? tail?.bytes };
	return [
		...rowsOf(left, { columns: view.columns, first: INDENT }).map(view.paint.dim),
		...outputRows(plainText(shown), view),
		...endLines(known, view, tail === undefined ? [] : fileFacts(known, view)),
	];
}

function outputRows(text: string, { columns }: TranscriptView): string[] {
	return rowsOf(text, { columns, first: INDENT, rest: INDENT, more: INDENT });
}

/** Where the output is, and how much there is of it. */
function fileFacts({ log, outputBytes }: CommandItem, { pathOf }: TranscriptView): string[] {
	if (log === undefined || outputBytes === undefined) return [];
	return [`${counted(outputBytes, "byte")} in ${pathOf(log)}`];
}

/** How a transcript is laid out as lines. */

export interface TranscriptView extends Moment, OutputFiles {
	readonly paint: Paint;
	/** The width of the terminal; undefined when there is none: then no line is broken. */
	readonly columns: number | undefined;
	/** Nothing is left out. */
	readonly isWhole: boolean;
	/** The agent as it is named on the command line: `RUN/1.2`. */
	readonly ref: string;
}
