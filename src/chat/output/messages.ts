/** What a person says, and what the root is told: once it has it for good, before that in rows that wait. Pure. */
import type { WaitingMessage } from "../../core/schemas/agent.ts";
import { messageIn, senderName } from "../../core/told-message.ts";
import type { UserEntry } from "../../core/transcript.ts";
import type { ShownLine } from "../../text/styled-line.ts";
import { counted, cutRow, rowsWithin, shownLine } from "./shown-lines.ts";
import type { Spoken } from "./spacing.ts";

const MOST_LINES = 30;
const MOST_CHARS = 6_000;
const MOST_WAITING = 3;
const PERSON = "person";

/** The texts of an entry, each with who has sent it. */
export function messagesIn({ content, from }: UserEntry, columns: number): Spoken[] {
	return content.flatMap((block): Spoken[] => {
		if (block.type !== "text" || block.text.trim() === "") return [];
		const message = messageIn(block.text);
		const text = message?.body ?? block.text;
		const isOfAgent = from !== undefined && from !== PERSON && message !== undefined;
		return [{ kind: "message", lines: messageRows(text, columns, isOfAgent ? `${message.sender}: ` : "> ") }];
	});
}

function messageRows(text: string, columns: number, first: string): ShownLine[] {
	const rows = rowsWithin(text.slice(0, MOST_CHARS), "strong", { columns, first, rest: first === "> " ? "> " : "  " });
	const isCut = text.length > MOST_CHARS || rows.length > MOST_LINES;
	const left = counted(text.split("\n").length, "line");
	return isCut ? [...rows.slice(0, MOST_LINES), shownLine(`  … of ${left}`, "dim")] : rows;
}

/** Those that were sent and not delivered so far, the newest last. */
export function waitingRows(messages: readonly WaitingMessage[], columns: number, room: number): ShownLine[] {
	const most = Math.min(MOST_WAITING, room);
	if (most < 1 || messages.length === 0) return [];
	const shown = messages.length <= most ? messages : messages.slice(1 - most);
	const others = messages.length - shown.length;
	const rows = shown.map(({ from, text }) => {
		const first = from === null ? "> " : `${senderName(from)}: `;
		return cutRow(`${text.trim()}`, "dim", { columns: Math.max(1, columns - QUEUED.length), first });
	});
	const marked = rows.map(({ parts }) => ({ parts: [...parts, { text: QUEUED, style: "dim" } as const] }));
	return others === 0 ? marked : [shownLine(`  … ${others} more queued`, "dim"), ...marked];
}

const QUEUED = "  queued";
