/** The items of an agent's story as blocks. */

import { formatBytes } from "../../../../core/bytes.ts";
import { type CommandEnd, describeCommandEnd } from "../../../../core/command.ts";
import type { AgentId } from "../../../../core/model/agent.ts";
import type { NoteEntry } from "../../../../core/model/transcript.ts";
import { formatDuration } from "../../../../text/durations.ts";
import { oneLine } from "../../../../text/safe/terminal-safe.ts";
import type { Style } from "../../../../tui/text/line.ts";
import type { StoryItem, ToldCommand, ToldTurn } from "../../../../view/agent-story.ts";
import { shortTime } from "../../../../view/clock-time.ts";
import type { AgentNotice } from "../../../../view/events/agent-notices.ts";
import type { Interval } from "../../../../view/timeline.ts";
import { turnFacts, turnStart } from "../../../../view/turn-facts.ts";
import { describeNote } from "../../../../view/words/notes.ts";
import type { BrokenAnswer } from "../../scene/agent-history.ts";
import type { CommandOutput } from "../../scene/command-output.ts";
import { brokenKey, noteTextKey, pageKey } from "../place-keys.ts";
import { type Block, lineBlock, textBlocks } from "./block.ts";
import { pieceBlocks } from "./live-blocks.ts";
import { type Told, waitBefore } from "./story.ts";

export interface StoryView {
	/** The agent's answers are Markdown. */
	readonly isMarkdown: boolean;
	/** The agent does no more. */
	readonly isOver: boolean;
	/** When it waited for a slot, or for what it was queued for else. */
	readonly queued: readonly Interval[];
	readonly broken: readonly BrokenAnswer[];
	readonly outputs: ReadonlyMap<number, CommandOutput>;
	/** The agents that each command has started. */
	readonly links: ReadonlyMap<number, readonly AgentId[]>;
	/** How each command goes that runs. */
	readonly going: (command: number) => string | undefined;
}

/** Shorter waits are no news. */
const TOLD_WAIT_MS = 1_000;

export function storyBlocks(story: readonly Told[], view: StoryView): Block[] {
	return story.flatMap(({ key, item }) => itemBlocks(key, item, view));
}

function itemBlocks(key: string, item: StoryItem, view: StoryView): Block[] {
	switch (item.is) {
		case "turn":
			return turnBlocks(key, item, view);
		case "said":
			return saidBlocks(key, item.block, view);
		case "told":
			return toldBlocks(key, item);
		case "note":
			return noteBlocks(key, item, view.isMarkdown);
		case "happened":
			return happenedBlocks(key, item.agentNotice, view);
		case "command": {
			const { command } = item;
			if (command === undefined) return commandBlocks(key, item, { output: undefined, links: [], going: undefined });
			const links = view.links.get(command) ?? [];
			return commandBlocks(key, item, { output: view.outputs.get(command), links, going: view.going(command) });
		}
	}
}

/** `turn 3 · took 4s · 1.2k in / 80 out, $0.0123     06:17:21`. */
function turnBlocks(key: string, told: ToldTurn, { isOver, queued }: StoryView): Block[] {
	const at = turnStart(told);
	const right = at === undefined ? undefined : shortTime(at);
	const isGoing = told.answer === undefined && told.span?.end === undefined && !isOver;
	const facts = isGoing ? [] : turnFacts(told, isOver).map(oneLine);
	const waitMs = told.span === undefined ? 0 : waitBefore(queued, told.span.from);
	const wait = lineBlock(`${key}.wait`, `waited ${formatDuration(waitMs)} for a slot`, "dim", { mark: "○ " });
	return [...(waitMs >= TOLD_WAIT_MS ? [wait] : []), lineBlock(key, `turn ${told.turn}`, "strong", { facts, right })];
}

function saidBlocks(key: string, block: Extract<StoryItem, { is: "said" }>["block"], view: StoryView): Block[] {
	switch (block.type) {
		case "text": {
			const form = view.isMarkdown ? "markdown" : undefined;
			return textBlocks(key, block.text, { tone: "plain", mark: "  ", form, hasGap: true });
		}
		case "thinking":
			return textBlocks(key, block.thinking, { tone: "dim", mark: "◆ ", hasGap: true });
		case "redacted_thinking":
			return [lineBlock(key, "thinking that the service does not show", "dim", { mark: "◆ ", hasGap: true })];
	}
	// A kind of block that this version does not know.
	return [lineBlock(key, String((block as { type?: unknown }).type), "dim", { mark: "◆ ", hasGap: true })];
}

function toldBlocks(key: string, { text, at, sender }: Extract<StoryItem, { is: "told" }>): Block[] {
	const rest = { tone: "warn", mark: "» ", hasGap: true } as const;
	if (sender === undefined) return textBlocks(key, text, rest);
	const head = lineBlock(`${key}.from`, `from ${sender}`, "warn", { mark: "» ", right: shortTime(at) });
	return [head, ...textBlocks(key, text, { ...rest, mark: "  " })];
}

/** What had come of an answer that broke stands below what says that it did. */
function happenedBlocks(key: string, { at, text, isTrouble }: AgentNotice, view: StoryView): Block[] {
	const block = lineBlock(key, text, isTrouble ? "bad" : "warn", { mark: "· ", right: shortTime(at) });
	const broken = view.broken.find((answer) => answer.at === at);
	if (broken === undefined) return [block];
	const pieces = broken.pieces.flatMap((piece, index) =>
		pieceBlocks(brokenKey(at, piece.block ?? index), piece, { tone: "dim", isMarkdown: view.isMarkdown }),
	);
	return [block, ...pieces];
}

/** A note between two messages of a transcript: a line that says what happened, and below it the text of the note. */

const MARKS: Record<NoteEntry["note"], readonly [mark: string, tone: Style]> = {
	call: ["↻ ", "dim"],
	compaction: ["═ ", "warn"],
	resumed: ["═ ", "warn"],
	forked: ["═ ", "warn"],
	changed: ["═ ", "warn"],
};

type ToldNote = Extract<StoryItem, { is: "note" }>;

/** Of a call that its turn tells, too, only what had come of the answer is new. */
function noteBlocks(key: string, { note, isKnown }: ToldNote, isMarkdown: boolean): Block[] {
	const [mark, tone] = MARKS[note.note];
	const form = isMarkdown ? "markdown" : undefined;
	const text = textBlocks(noteTextKey(key), textBelow(note), { tone: "dim", mark: "  ", form, hasGap: true });
	if (isKnown && text.length === 0) return [];
	const what = isKnown ? "what had come of the answer:" : describeNote(note);
	const right = shortTime(note.at);
	return [lineBlock(key, what, tone, { mark, right, hasGap: text.length === 0 }), ...text];
}

function textBelow(note: NoteEntry): string {
	switch (note.note) {
		case "call":
			return note.outcome === "compaction" ? "" : (note.partial ?? "");
		case "compaction":
			return note.summary;
		case "forked":
		case "changed":
		case "resumed":
			return "";
	}
}

/** A command as blocks: `$ command`, the agents that it started, its output, how it ended or how it goes. */
interface CommandView {
	/** What of its output file is in memory; undefined: the result is shown, as far as there is one. */
	readonly output: CommandOutput | undefined;
	/** The agents that it started, in the order of their numbers. */
	readonly links: readonly AgentId[];
	/** How it goes; undefined when it has ended, or its agent has. */
	readonly going: string | undefined;
}

const MOST_LINKS = 50;
const OUTPUT = { tone: "plain", mark: "│ ", bar: "│ ", form: "code" } as const;

function commandBlocks(key: string, told: ToldCommand, view: CommandView): Block[] {
	const { command } = told;
	return [
		...textBlocks(key, told.text ?? "", { tone: "strong", mark: "$ ", command }),
		...linkBlocks(key, view.links, command),
		...outputBlocks(key, told, view.output),
		endBlock(key, told, view.going),
	];
}

function linkBlocks(key: string, links: readonly AgentId[], command: number | undefined): Block[] {
	const shown = links.slice(0, MOST_LINKS).map((link) => lineBlock(`${key}>${link}`, "", "calm", { link, command }));
	const more = links.length - shown.length;
	return more > 0 ? [...shown, lineBlock(`${key}>more`, `${more} more`, "calm", { mark: "→ ", command })] : shown;
}

function outputBlocks(key: string, told: ToldCommand, output: CommandOutput | undefined): Block[] {
	if (told.command !== undefined && output !== undefined) return pageBlocks(told.command, output);
	return told.result === undefined ? [] : resultBlocks(key, told, told.result);
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
	return lineBlock(pageKey(command, first), "… more output, which is being read", "dim", rest);
}

const LEFT_OUT = /\n\[\.\.\. the middle is left out: ([\d,]+) bytes[^\n]*\.\.\.\]\n/;

/** A long output has only its head and its tail in the result. A command that prints such a line itself gains nothing. */
function resultBlocks(key: string, { command, outputBytes = 0 }: ToldCommand, result: string): Block[] {
	const isWhole = outputBytes <= result.length;
	const found = isWhole ? null : LEFT_OUT.exec(result);
	if (found === null || Number(found[1]?.replaceAll(",", "")) !== outputBytes)
		return textBlocks(`${key}.output`, result, { ...OUTPUT, command });
	const head = result.slice(0, found.index);
	const tail = result.slice(found.index + found[0].length);
	const left = outputBytes - head.length - tail.length; // in bytes, as far as the ends are ASCII
	const middle = `… ${formatBytes(Math.max(0, left))} left out, o opens the whole`;
	return [
		...textBlocks(`${key}.output`, head, { ...OUTPUT, command }),
		lineBlock(`${key}.middle`, middle, "dim", { mark: "│ ", command }),
		...textBlocks(`${key}.tail`, tail, { ...OUTPUT, command }),
	];
}

/** `└ exit status 1, 12s`. */
function endBlock(key: string, { command, end, span }: ToldCommand, going: string | undefined): Block {
	const rest = { mark: "└ ", command, hasGap: true };
	if (end === undefined)
		return lineBlock(`${key}.end`, going ?? "no result", going === undefined ? "dim" : "busy", rest);
	const took = span === undefined || span.to === span.from ? "" : `, ${formatDuration(span.to - span.from)}`;
	return lineBlock(`${key}.end`, `${describeCommandEnd(end)}${took}`, isGood(end) ? "dim" : "bad", rest);
}

function isGood(end: CommandEnd): boolean {
	return end.by === "exit" && end.code === 0;
}
