/** What is said to the root: once it has it for good, before that in rows that wait. Pure. */
import { ROOT } from "../../../core/model/agent.ts";
import { carriedIn, INTERRUPTED_BY_PERSON, messageIn, senderName } from "../../../core/model/message-marks.ts";
import { alsoSaidIn, INTERRUPTION } from "../../../core/model/placeholder-texts.ts";
import { foldedMiddle } from "../../../core/preview.ts";
import { isQuestionEvent } from "../../../core/run/questions.ts";
import type { RunEvent } from "../../../core/schemas/run-event.ts";
import type { WaitingMessage } from "../../../core/schemas/run-state.ts";
import { counted } from "../../../text/numbers.ts";
import { firstLine, oneLine } from "../../../text/safe/terminal-safe.ts";
import { type Line, type Style, segment } from "../../../tui/text/line.ts";
import { meaningOf, newsText, subjectOf } from "../../../view/events/meanings.ts";
import { questionNotice } from "../../../view/events/question-meanings.ts";
import type { MessageItem } from "../../../view/transcript/items.ts";
import { messageText, senderOf } from "../../../view/transcript/words.ts";
import { cutRow, EMPTY, rowsWithin, type Spoken, shownLine } from "./shown-lines.ts";

const MOST_LINES = 30;
const MOST_CHARS = 6_000;
const MOST_WAITING = 3;
const OWN = "> ";
const QUEUED = "  queued";
const PERSON = "person";

interface MessageView {
	readonly columns: number;
	/** Nothing was said before: it is the person who begins. */
	readonly isFirst: boolean;
}

/** A person's words, those of agents with their names, and of anything else that the root is sent one line. */
export function messageOf(item: MessageItem, { columns, isFirst }: MessageView): Spoken[] {
	const { from } = item;
	const text = messageText(item);
	if (text.trim() === "" || text === INTERRUPTED_BY_PERSON) return [];
	if (text.startsWith(INTERRUPTION)) return also(text, columns); // a note has the rest
	if (from === PERSON || (from === undefined && isFirst)) return [personsWords(text, columns)];
	if (from === undefined)
		return [{ kind: "notice", lines: [cutRow(firstLine(text), "dim", { columns, first: NOTICE_MARK })] }];
	return [{ kind: "message", lines: messageRows(text, columns, { first: `${senderOf(item)}: `, rest: "  " }) }];
}

function also(text: string, columns: number): Spoken[] {
	const said = alsoSaidIn(text);
	return said === undefined ? [] : [personsWords(said, columns)];
}

/** Of messages that are not shown. `hasBegun`: others were shown before them. */
export function earlierText(entries: number, hasBegun: boolean): string {
	const where = hasBegun ? "omitted here" : "before this";
	return `${counted(entries, "message")} ${where}: /show ${ROOT}`;
}

/** `to`: whom they were sent to, if not the root. What the person's own commands printed was shown when they ran. */
export function personsWords(text: string, columns: number, to?: string): Spoken {
	const { body = text } = messageIn(text) ?? {};
	const { words, commands, isUndo } = carriedIn(body);
	const rows = messageRows(words, columns, { first: to === undefined ? OWN : `${OWN}@${to} `, rest: OWN });
	const carried = [
		...(commands === 0 ? [] : [`  with the output of ${counted(commands, "command")} you ran`]),
		...(isUndo ? ["  with a note that files were restored"] : []),
	];
	return { kind: "message", lines: [...rows, ...carried.map((line) => shownLine(line, "dim"))] };
}

interface Marks {
	readonly first: string;
	readonly rest: string;
	readonly style?: Style;
}

function messageRows(text: string, columns: number, { style = "strong", ...marks }: Marks): Line[] {
	const rows = rowsWithin(text.slice(0, MOST_CHARS), style, { columns, ...marks });
	const isCut = text.length > MOST_CHARS || rows.length > MOST_LINES;
	const left = counted(text.split("\n").length, "line");
	return isCut ? [...rows.slice(0, MOST_LINES), shownLine(`  … of ${left}`, "dim")] : rows;
}

/** Those that were sent and not delivered so far, the newest last; in at most `room` rows. */
export function waitingRows(messages: readonly WaitingMessage[], columns: number, room: number): Line[] {
	const most = Math.min(MOST_WAITING, room);
	if (most < 1 || messages.length === 0) return [];
	const shown = messages.length <= most ? messages : messages.slice(messages.length - most + 1);
	const others = messages.length - shown.length;
	const rows = shown.map(({ from, text }): Line => {
		const first = from === null ? OWN : `${senderName(from)}: `;
		const row = cutRow(text.trim(), "dim", { columns: Math.max(1, columns - QUEUED.length), first });
		return [...row, segment(QUEUED, "dim")];
	});
	return others === 0 ? rows : [shownLine(`  … ${others} more queued`, "dim"), ...rows];
}

export const NOTICE_MARK = "· ";
const MOST_NOTICE_CHARS = 1_000;

/** Nothing that messages, commands, answers and children show already. */
export function noticeOf(event: RunEvent, columns: number): Line[] {
	const text = textOf(event);
	if (text === undefined) return [];
	const { tone = "dim" } = meaningOf(event);
	return rowsWithin(foldedMiddle(oneLine(text), MOST_NOTICE_CHARS), tone, { columns, first: NOTICE_MARK });
}

function textOf(event: RunEvent): string | undefined {
	if (isQuestionEvent(event)) return questionNotice(event, { command: "/answer" });
	if (isShownOtherwise(event)) return undefined;
	const meaning = meaningOf(event);
	const { news } = meaning;
	const agent = subjectOf(event);
	if (news === undefined || news === "step") return undefined;
	if (agent === undefined) return `run: ${newsText(meaning)}`;
	if (agent === ROOT) return newsText(meaning);
	return news === "person" ? `agent ${agent} ${newsText(meaning)}` : undefined;
}

/** Messages show it, or, for the end, the chat's last line does. */
function isShownOtherwise(event: RunEvent): boolean {
	if (event.event === "run_ended") return event.ending.by === "answer";
	return event.event === "message_sent" || event.event === "message_withdrawn";
}

/** A line, or a few, of the conversation's own. */
export interface ChatLine {
	readonly text: string;
	readonly tone: "plain" | "dim" | "warn" | "bad";
	/** Columns at the begin of its other rows, where it is too long for one. */
	readonly hang?: number;
}

export interface Said extends Partial<ChatLine> {
	readonly text: string;
	/** `report`: begins several lines, which stand by themselves. `echo`: what the person has asked. Default: `notice`. */
	readonly as?: "notice" | "report" | "echo";
}

export function spokenOf({ text, tone = "plain", hang = 0, as = "notice" }: Said, columns: number): Spoken {
	if (as === "echo")
		return { kind: "message", lines: messageRows(text, columns, { first: OWN, rest: OWN, style: "dim" }) };
	return { kind: as, lines: text === "" ? [EMPTY] : rowsWithin(text, tone, { columns, hang }) };
}
