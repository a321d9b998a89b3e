/** A transcript as blocks of text, in the order of reading: the task, the items, what the agent does now or how it ended. */

import { formatBytes } from "../../../../core/bytes.ts";
import { doingOf } from "../../../../core/doing.ts";
import { type Agent, type AgentId, isOver } from "../../../../core/model/agent.ts";
import { senderName } from "../../../../core/model/message-marks.ts";
import type { NoteEntry } from "../../../../core/schemas/transcript.ts";
import { factsOf } from "../../../../models/catalogue.ts";
import { wholeEnding } from "../../../../text/describe-ending.ts";
import { formatDuration } from "../../../../text/durations.ts";
import { formatCost } from "../../../../text/numbers.ts";
import { oneLine } from "../../../../text/safe/terminal-safe.ts";
import type { Style } from "../../../../tui/text/line.ts";
import { type Activity, describeActivity, seenOf } from "../../../../view/agents/activity.ts";
import { ageOf, doingLine } from "../../../../view/agents/doing-now.ts";
import type {
	CommandItem,
	MessageItem,
	NoteItem,
	SaidItem,
	TranscriptItem,
	TurnItem,
} from "../../../../view/transcript/items.ts";
import type { Moment } from "../../../../view/transcript/words.ts";
import {
	commandStanding,
	leftRunning,
	messageHead,
	messageText,
	noteHead,
	resultText,
	turnFacts,
	turnStart,
} from "../../../../view/transcript/words.ts";
import { shortTime } from "../../../../view/words/clock-time.ts";
import type { AgentTranscript, CommandOutput } from "../../scene/agent-transcript.ts";
import { MARKS } from "../agent-mark.ts";
import { type Block, lineBlock, noteTextKey, pageKey, textBlocks } from "./block.ts";

/** What the blocks tell beside the transcript itself. */
export interface TranscriptScene {
	readonly agent: Agent | undefined;
	/** Children of the agent, in the order of their numbers. */
	readonly children: readonly Agent[];
	readonly now: number;
	readonly activity: Activity;
}

export function transcriptBlocks(
	transcript: AgentTranscript,
	{ agent, children, now, activity }: TranscriptScene,
): Block[] {
	const { task, settled, newest, outputs, unreadBytes } = transcript;
	const view: ItemView = {
		...{ now, isOver: agent !== undefined && isOver(agent), outputs, links: linksOf(children) },
		isMarkdown: agent === undefined || !factsOf(agent.model).answersBytes,
		going: (command) => agent && goingText(agent, command, { now, activity }),
	};
	const isStreaming = newest.some((item) => item.is === "said" && item.state === "streaming");
	return [
		...textBlocks("task", task ?? agent?.task ?? "", { tone: "heading", hasGap: true }),
		...(unreadBytes === 0 ? [] : [earlierBlock(unreadBytes)]),
		...settledBlocks(settled, view),
		...newest.flatMap((item) => itemBlocks(item, view)),
		...(agent === undefined ? [] : standingBlocks(agent, isStreaming, { now, activity })),
	];
}

function earlierBlock(bytes: number): Block {
	return lineBlock("earlier", `… ${formatBytes(bytes)} of older transcript not loaded yet`, "dim", {
		isEarlier: true,
		hasGap: true,
	});
}

const settledCache = new WeakMap<AgentTranscript["settled"], { of: unknown[]; blocks: Block[] }>();
const itemCache = new WeakMap<TranscriptItem, { of: unknown[]; blocks: Block[] }>();

/** Made again only when there are more items, and of one item only when something is another that it shows. */
function settledBlocks(settled: AgentTranscript["settled"], view: ItemView): Block[] {
	const { outputs, links, isMarkdown, isOver: over } = view;
	return cachedBlocks(settledCache, settled, [outputs, links, isMarkdown, over], () =>
		settled.flatMap((item) => {
			const command = item.is === "command" ? (item.command ?? 0) : 0;
			const of = [outputs.get(command), links.get(command), isMarkdown, over];
			return cachedBlocks(itemCache, item, of, () => itemBlocks(item, view));
		}),
	);
}

function cachedBlocks<K extends object>(
	cache: WeakMap<K, { of: unknown[]; blocks: Block[] }>,
	key: K,
	of: unknown[],
	make: () => Block[],
): Block[] {
	const cached = cache.get(key);
	if (cached?.of.every((one, at) => one === of[at])) return cached.blocks;
	const blocks = make();
	cache.set(key, { of, blocks });
	return blocks;
}

type Links = ReadonlyMap<number, readonly AgentId[]>;

let newestLinks: { readonly children: readonly Agent[]; readonly links: Links } = { children: [], links: new Map() };

/** The same map as long as the agents are the same, however they change. */
function linksOf(children: readonly Agent[]): Links {
	const { children: before, links } = newestLinks;
	newestLinks = { children, links: areSame(before, children) ? links : linksFor(children) };
	return newestLinks.links;
}

function areSame(before: readonly Agent[], now: readonly Agent[]): boolean {
	if (before === now) return true;
	const isSame = ({ id, command }: Agent, at: number) => before[at]?.id === id && before[at]?.command === command;
	return before.length === now.length && now.every(isSame);
}

function linksFor(children: readonly Agent[]): Links {
	const links = new Map<number, AgentId[]>();
	for (const { id, command } of children) {
		if (command === undefined) continue;
		const started = links.get(command);
		if (started === undefined) links.set(command, [id]);
		else started.push(id);
	}
	return links;
}

/** What the agent does now: how its commands go, what it waits for, and at last how it ended. */

/** A command that has printed a moment ago is not silent. */
const TOLD_SILENCE_MS = 5_000;

interface Now {
	readonly now: number;
	readonly activity: Activity;
}

/** How a running command goes: `running 1m52s, no output for 1m50s, 0.0 s CPU time`, and a line for each of its processes. */
function goingText(agent: Agent, command: number, { now, activity }: Now): string | undefined {
	const running = agent.running.find((one) => one.command === command);
	if (running === undefined) return undefined;
	const { silentSince, cpuMs, processes = [], isCut } = seenOf(activity, agent.id, command) ?? {};
	const isQuiet = silentSince !== undefined && now - silentSince >= TOLD_SILENCE_MS;
	const told = describeActivity({ silentSince: isQuiet ? silentSince : undefined, cpuMs }, now);
	const facts = [
		`running ${formatDuration(Math.max(1_000, now - running.since))}`,
		...(told === "" ? [] : [told]),
		...(isCut ? ["output no longer saved"] : []),
	];
	const others = processes.filter(({ pid }) => pid !== running.pid);
	return [facts.join(", "), ...others.map(({ pid, name }) => `  pid ${pid} ${oneLine(name)}`)].join("\n");
}

/** The last lines of a transcript: what its agent waits for, and what waits for it; or how it ended. */
function standingBlocks(agent: Agent, hasWords: boolean, moment: Now): Block[] {
	const { now } = moment;
	if (isOver(agent)) return [endingBlock(agent, now)];
	const messages = (agent.messages ?? []).map(({ from, text, at }, index) =>
		lineBlock(`waiting:${at}.${index}`, `queued from ${senderName(from)}: ${text}`, "warn", { mark: "» " }),
	);
	const doing = doingBlock(agent, hasWords, moment);
	return doing === undefined ? messages : [...messages, doing];
}

/** Undefined where the last block tells it already: a command that runs, an answer that streams. */
function doingBlock(agent: Agent, hasWords: boolean, moment: Now): Block | undefined {
	const { state } = agent;
	const isHeld = state.is === "thinking" && moment.activity.heldSince.has(agent.id);
	const isRetried = state.is === "thinking" && (state.retry?.nextAt ?? 0) > moment.now;
	const isWaiting = agent.paused !== undefined || state.is === "queued" || isHeld || isRetried;
	if (!isWaiting && (state.is !== "thinking" || hasWords)) return undefined;
	const doing = isWaiting ? doingOf(agent) : "thinking";
	const { glyph, tone } = MARKS[isHeld && doing === "thinking" ? "queued" : doing];
	return lineBlock("doing", doingLine(agent, moment), tone, { mark: `${glyph} ` });
}

/** `✓ answer · 1m08s · $0.0200   06:18:29`, or the cause whole. */
function endingBlock(agent: Agent & { state: { is: "ended" } }, now: number): Block {
	const { at, ending } = agent.state;
	const right = shortTime(at);
	const facts = `${formatDuration(ageOf(agent, now))}, ${formatCost(agent.costUsd)}`.replace(", -", "");
	const isGood = ending.by === "answer";
	const text = `${wholeEnding(ending)} (${facts})`;
	return lineBlock("ending", text, isGood ? "good" : "bad", { mark: isGood ? "✓ " : "✗ ", right });
}

/** The items of a transcript as blocks. */

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

function itemBlocks(item: TranscriptItem, view: ItemView): Block[] {
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

const NOTE_MARKS: Record<NoteEntry["note"], readonly [mark: string, tone: Style]> = {
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
	const [mark, tone] = NOTE_MARKS[note.note];
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
