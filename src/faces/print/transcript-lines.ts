/** The items of a transcript as lines for a person. Nothing is printed here; what agents wrote is made safe for a terminal. */
import type { Agent, Ending } from "../../core/model/agent.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { wholeEnding } from "../../text/states.ts";
import { doingLine } from "../../view/agents/doing-now.ts";
import type {
	MessageItem,
	NoteItem,
	NoticeItem,
	SaidItem,
	TranscriptItem,
	TurnItem,
} from "../../view/transcript/items.ts";
import { isTurningPoint, noteHead } from "../../view/transcript/note-words.ts";
import { messageHead, messageText, turnFacts, turnStart } from "../../view/transcript/words.ts";
import { shortTime } from "../../view/words/clock-time.ts";
import { commandLines } from "./command-lines.ts";
import { rowsOf } from "./rows.ts";
import type { TranscriptView } from "./transcript-view.ts";

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
