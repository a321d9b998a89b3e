/** The items of a transcript as blocks. */
import { formatBytes } from "../../../../core/bytes.ts";
import type { AgentId } from "../../../../core/model/agent.ts";
import type { NoteEntry } from "../../../../core/model/transcript.ts";
import { formatDuration } from "../../../../text/durations.ts";
import { oneLine } from "../../../../text/safe/terminal-safe.ts";
import type { Style } from "../../../../tui/text/line.ts";
import type {
	CommandItem,
	MessageItem,
	NoteItem,
	SaidItem,
	TranscriptItem,
	TurnItem,
} from "../../../../view/transcript/items.ts";
import {
	commandStanding,
	leftRunning,
	type Moment,
	messageHead,
	messageText,
	noteHead,
	resultText,
	turnFacts,
	turnStart,
} from "../../../../view/transcript/words.ts";
import { shortTime } from "../../../../view/words/clock-time.ts";
import type { CommandOutput } from "../../scene/command-output.ts";
import { type Block, lineBlock, noteTextKey, pageKey, textBlocks } from "./block.ts";

export interface ItemView extends Moment {
	/** The agent's answers are Markdown. */
	readonly isMarkdown: boolean;
	readonly outputs: ReadonlyMap<number, CommandOutput>;
	/** The agents that each command has started. */
	readonly links: ReadonlyMap<number, readonly AgentId[]>;
	/** How each command goes that runs. */
	readonly going: (command: number) => string | undefined;
}

/** Shorter waits are no news. */
const TOLD_WAIT_MS = 1_000;
const MOST_LINKS = 50;
const OUTPUT = { tone: "plain", mark: "│ ", bar: "│ ", form: "code" } as const;

export function itemBlocks(item: TranscriptItem, view: ItemView): Block[] {
	switch (item.is) {
		case "turn":
			return turnBlocks(item, view);
		case "said":
			return saidBlocks(item, view.isMarkdown);
		case "command":
			return commandBlocks(item, view);
		case "message":
			return messageBlocks(item);
		case "note":
			return noteBlocks(item, view.isMarkdown);
		case "notice": {
			const { key, at, text, isTrouble } = item;
			return [lineBlock(key, text, isTrouble ? "bad" : "warn", { mark: "· ", right: shortTime(at) })];
		}
	}
}

/** `turn 3 · took 4s · 1.2k in / 80 out, $0.0123     06:17:21`. */
function turnBlocks(item: TurnItem, view: ItemView): Block[] {
	const { key, turn, waitedMs, answer, end } = item;
	const at = turnStart(item);
	const right = at === undefined ? undefined : shortTime(at);
	const isGoing = answer === undefined && end === undefined && !view.isOver;
	const facts = isGoing ? [] : turnFacts(item, view).map(oneLine);
	const wait = lineBlock(`${key}.wait`, `waited ${formatDuration(waitedMs)} for a slot`, "dim", { mark: "○ " });
	return [...(waitedMs >= TOLD_WAIT_MS ? [wait] : []), lineBlock(key, `turn ${turn}`, "strong", { facts, right })];
}

/** What had come of an answer that broke is dim. */
function saidBlocks({ key, kind, text, state }: SaidItem, isMarkdown: boolean): Block[] {
	const isBroken = state === "broken";
	switch (kind) {
		case "text": {
			const markdown = state === "streaming" ? "streaming" : "markdown";
			const look = { mark: "  ", hasGap: true, form: isMarkdown ? markdown : undefined } as const;
			return textBlocks(key, text, { tone: isBroken ? "dim" : "plain", ...look });
		}
		case "thinking":
			return textBlocks(key, text, { tone: "dim", mark: "◆ ", hasGap: true });
		case "command":
			return textBlocks(key, text, { tone: isBroken ? "dim" : "strong", mark: "$ ", hasGap: true });
		case "other":
			return [lineBlock(key, text, "dim", { mark: "◆ ", hasGap: true })];
	}
}

function messageBlocks(item: MessageItem): Block[] {
	const { key, at } = item;
	const text = messageText(item);
	const head = messageHead(item);
	const rest = { tone: "warn", mark: "» ", hasGap: true } as const;
	if (head === undefined) return textBlocks(key, text, rest);
	const line = lineBlock(`${key}.from`, head, "warn", { mark: "» ", right: shortTime(at) });
	return [line, ...textBlocks(key, text, { ...rest, mark: "  " })];
}

/** A note between two messages of a transcript: a line that says what happened, and below it the text of the note. */

const MARKS: Record<NoteEntry["note"], readonly [mark: string, tone: Style]> = {
	call: ["↻ ", "dim"],
	compaction: ["═ ", "warn"],
	resumed: ["═ ", "warn"],
	forked: ["═ ", "warn"],
	changed: ["═ ", "warn"],
};

function noteBlocks(item: NoteItem, isMarkdown: boolean): Block[] {
	const { key, note } = item;
	const head = noteHead(item);
	if (head === undefined) return [];
	const [mark, tone] = MARKS[note.note];
	const form = isMarkdown ? "markdown" : undefined;
	const text = textBlocks(noteTextKey(key), item.text, { tone: "dim", mark: "  ", form, hasGap: true });
	return [lineBlock(key, head, tone, { mark, right: shortTime(note.at), hasGap: text.length === 0 }), ...text];
}

/** A command with its agents, its output and its end. While it runs its output comes from its file, later from its result. */
function commandBlocks(item: CommandItem, view: ItemView): Block[] {
	const { key, text = "", command, formerKey } = item;
	return [
		...textBlocks(key, text, { tone: "strong", mark: "$ ", command, formerKey }),
		...linkBlocks(key, command === undefined ? [] : (view.links.get(command) ?? []), command),
		...outputBlocks(item, command === undefined ? undefined : view.outputs.get(command)),
		...endBlocks(item, view),
	];
}

function linkBlocks(key: string, links: readonly AgentId[], command: number | undefined): Block[] {
	const shown = links.slice(0, MOST_LINKS).map((link) => lineBlock(`${key}>${link}`, "", "calm", { link, command }));
	const more = links.length - shown.length;
	return more > 0 ? [...shown, lineBlock(`${key}>more`, `${more} more`, "calm", { mark: "→ ", command })] : shown;
}

function outputBlocks(item: CommandItem, output: CommandOutput | undefined): Block[] {
	if (item.command !== undefined && output !== undefined) return pageBlocks(item.command, output);
	return item.result === undefined ? [] : resultBlocks(item, resultText(item));
}

/** The pages that are in memory, and a line for each part between them that is not. */
function pageBlocks(command: number, { pages, last }: CommandOutput): Block[] {
	const blocks: Block[] = [];
	let next = 0;
	for (const { page, text } of pages) {
		if (page > next) blocks.push(unreadBlock(command, next, page - 1));
		if (text !== "") blocks.push({ ...OUTPUT, key: pageKey(command, page), text, command });
		next = page + 1;
	}
	if (next <= last) blocks.push(unreadBlock(command, next, last));
	return blocks;
}

function unreadBlock(command: number, first: number, last: number): Block {
	const rest = { command, unread: { first, last }, mark: "│ " };
	return lineBlock(pageKey(command, first), "… loading more output", "dim", rest);
}

const LEFT_OUT = /\n\[\.\.\. the middle is left out: ([\d,]+) bytes[^\n]*\.\.\.\]\n/;

/** A long output has only its head and its tail in the result. A command that prints such a line itself gains nothing. */
function resultBlocks({ key, command, outputBytes = 0 }: CommandItem, result: string): Block[] {
	const isWhole = outputBytes <= result.length;
	const found = isWhole ? null : LEFT_OUT.exec(result);
	if (found === null || Number(found[1]?.replaceAll(",", "")) !== outputBytes)
		return textBlocks(`${key}.output`, result, { ...OUTPUT, command });
	const head = result.slice(0, found.index);
	const tail = result.slice(found.index + found[0].length);
	const left = outputBytes - head.length - tail.length; // in bytes, as far as the ends are ASCII
	const middle = `… ${formatBytes(Math.max(0, left))} omitted; o to open all`;
	return [
		...textBlocks(`${key}.output`, head, { ...OUTPUT, command }),
		lineBlock(`${key}.middle`, middle, "dim", { mark: "│ ", command }),
		...textBlocks(`${key}.tail`, tail, { ...OUTPUT, command }),
	];
}

/** `└ exit status 1, 12s`; of one that runs how it goes. */
function endBlocks(item: CommandItem, view: ItemView): Block[] {
	const { key, command } = item;
	const rest = { mark: "└ ", command, hasGap: true };
	const going = item.state === "running" && command !== undefined ? view.going(command) : undefined;
	if (going !== undefined) return [lineBlock(`${key}.end`, going, "busy", rest)];
	const { words, took, isGood } = commandStanding(item, view);
	const left = leftRunning(item);
	const facts = [
		words || "nothing was run",
		...(took === undefined ? [] : [took]),
		...(left === undefined ? [] : [oneLine(left)]),
	];
	return [lineBlock(`${key}.end`, facts.join(", "), isGood ? "dim" : "bad", rest)];
}
