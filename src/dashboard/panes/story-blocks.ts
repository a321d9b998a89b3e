/** The items of an agent's story as blocks. */
import type { AgentId } from "../../core/agent.ts";
import type { StoryItem, ToldTurn } from "../../events/agent-story.ts";
import { shortTime } from "../../events/clock-time.ts";
import type { Happening } from "../../events/happenings.ts";
import type { Interval } from "../../events/timeline.ts";
import { turnFacts, turnStart } from "../../events/turn-facts.ts";
import { formatDuration } from "../../text/durations.ts";
import { oneLine } from "../../text/terminal-safe.ts";
import type { BrokenAnswer } from "../scene/agent-history.ts";
import type { CommandOutput } from "../scene/command-output.ts";
import { type Block, lineBlock, textBlocks } from "./block.ts";
import { commandBlocks } from "./command-blocks.ts";
import { pieceBlocks } from "./live-blocks.ts";
import { noteBlocks } from "./note-blocks.ts";
import { brokenKey } from "./place-keys.ts";
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
			return happenedBlocks(key, item.happening, view);
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
function happenedBlocks(key: string, { at, text, isTrouble }: Happening, view: StoryView): Block[] {
	const block = lineBlock(key, text, isTrouble ? "bad" : "warn", { mark: "· ", right: shortTime(at) });
	const broken = view.broken.find((answer) => answer.at === at);
	if (broken === undefined) return [block];
	const pieces = broken.pieces.flatMap((piece, index) =>
		pieceBlocks(brokenKey(at, piece.block ?? index), piece, { tone: "dim", isMarkdown: view.isMarkdown }),
	);
	return [block, ...pieces];
}
