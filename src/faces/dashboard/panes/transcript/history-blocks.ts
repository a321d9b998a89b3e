/**
 * A history as blocks of text, in the order of reading: the task, the items of the transcript, what the agent does now, how it ended. The blocks
 * of what is recorded are made again only when there is more of it.
 */
import { formatBytes } from "../../../../core/bytes.ts";
import { doingOf } from "../../../../core/doing.ts";
import { type Agent, type AgentId, isOver } from "../../../../core/model/agent.ts";
import { senderName } from "../../../../core/model/told-message.ts";
import type { TranscriptEntry } from "../../../../core/model/transcript.ts";
import type { RunEvent } from "../../../../core/run/run-event.ts";
import { factsOf } from "../../../../models/catalogue.ts";
import { formatDuration } from "../../../../text/durations.ts";
import { formatCost } from "../../../../text/numbers.ts";
import { oneLine } from "../../../../text/safe/terminal-safe.ts";
import { wholeEnding } from "../../../../text/states.ts";
import { type Activity, describeActivity, seenOf } from "../../../../view/agents/activity.ts";
import { ageOf, doingLine } from "../../../../view/agents/doing-now.ts";
import { ItemList } from "../../../../view/transcript/changes.ts";
import type { SaidItem, TranscriptItem } from "../../../../view/transcript/items.ts";
import { inOrder } from "../../../../view/transcript/merge.ts";
import { Transcript } from "../../../../view/transcript/transcript.ts";
import { saidKey } from "../../../../view/transcript/turns.ts";
import { shortTime } from "../../../../view/words/clock-time.ts";
import type { AgentHistory } from "../../scene/agent-history.ts";
import { MARKS } from "../agent-mark.ts";
import { type Block, lineBlock, textBlocks } from "./block.ts";
import { type ItemView, itemBlocks } from "./item-blocks.ts";

/** What the blocks tell beside the history itself. */
export interface HistoryScene {
	readonly agent: Agent | undefined;
	/** Children of the agent, in the order of their numbers. */
	readonly children: readonly Agent[];
	readonly now: number;
	readonly activity: Activity;
}

export function historyBlocks(history: AgentHistory, { agent, children, now, activity }: HistoryScene): Block[] {
	const { task, isOver: over, items } = readOf(history, agent);
	const view: ItemView = {
		...{ now, isOver: over, outputs: history.outputs, links: linksOf(children) },
		isMarkdown: agent === undefined || !factsOf(agent.model).answersBytes,
		going: (command) => agent && goingText(agent, command, { now, activity }),
	};
	const newest = [...items.rest, ...streamingItems(history, items)];
	return [
		...textBlocks("task", task, { tone: "heading", hasGap: true }),
		...(history.unreadBytes === 0 ? [] : [earlierBlock(history.unreadBytes)]),
		...settledBlocks(items.settled, view),
		...newest.flatMap((item) => itemBlocks(item, view)),
		...(agent === undefined ? [] : standingBlocks(agent, history.live !== undefined, { now, activity })),
	];
}

/** The commands that have no result so far, or never will have one. */
export function openCommands(history: AgentHistory, agent: Agent | undefined): readonly number[] {
	return readOf(history, agent).items.openCommands;
}

function readOf(history: AgentHistory, agent: Agent | undefined) {
	const task = taskOf(history) ?? agent?.task ?? "";
	const endedAt = agent !== undefined && isOver(agent) ? agent.state.at : undefined;
	return { task, isOver: endedAt !== undefined, items: itemsOf(history, task, endedAt) };
}

function earlierBlock(bytes: number): Block {
	return lineBlock("earlier", `… ${formatBytes(bytes)} of older transcript not loaded yet`, "dim", {
		isEarlier: true,
		hasGap: true,
	});
}

/** The first words that the agent was told, if they are read. */
function taskOf({ entries, unreadBytes }: AgentHistory): string | undefined {
	if (unreadBytes > 0) return undefined;
	const first = entries.find(({ role }) => role === "user");
	const text = first?.role === "user" ? first.content.find(({ type }) => type === "text") : undefined;
	return text?.type === "text" ? text.text : undefined;
}

const settledCache = new WeakMap<HistoryItems["settled"], { of: unknown[]; blocks: Block[] }>();

function settledBlocks(settled: HistoryItems["settled"], view: ItemView): Block[] {
	const { outputs, links, isMarkdown, isOver: over } = view;
	const of = [outputs, links, isMarkdown, over];
	const cached = settledCache.get(settled);
	if (cached?.of.every((one, at) => one === of[at])) return cached.blocks;
	const blocks = settled.flatMap((item) => itemBlocks(item, view));
	settledCache.set(settled, { of, blocks });
	return blocks;
}

const linksCache = new Map<string, ReadonlyMap<number, readonly AgentId[]>>();

/** The same map as long as the agents are the same, however they change. */
function linksOf(children: readonly Agent[]): ReadonlyMap<number, readonly AgentId[]> {
	const name = children.map(({ id, command }) => `${id}:${command}`).join();
	let links = linksCache.get(name);
	if (links === undefined) {
		const started = new Map<number, AgentId[]>();
		for (const { id, command } of children)
			if (command !== undefined) started.set(command, [...(started.get(command) ?? []), id]);
		links = started;
		linksCache.clear();
		linksCache.set(name, links);
	}
	return links;
}

/** The items of the transcript, made again only when there is more of it. */

interface HistoryItems {
	/** Those that no longer change. */
	readonly settled: readonly TranscriptItem[];
	/** The newest turn, and what came since. */
	readonly rest: readonly TranscriptItem[];
	/** The commands that have no result so far, or never will have one. */
	readonly openCommands: readonly number[];
	/** So many calls were made for the turn that streams before its newest one. */
	readonly triesOf: (turn: number) => number;
}

const cache = new WeakMap<readonly TranscriptEntry[], { of: unknown[]; items: HistoryItems }>();

/** `task`: stands above. `endedAt`: when the agent ended, if it has. */
function itemsOf(history: AgentHistory, task: string, endedAt: number | undefined): HistoryItems {
	const of = [history.happened, history.broken, history.firstEntry, history.unreadBytes, task, endedAt];
	const cached = cache.get(history.entries);
	if (cached?.of.every((one, at) => one === of[at])) return cached.items;
	const items = itemsMade(history, task, endedAt);
	cache.set(history.entries, { of, items });
	return items;
}

/** What happened before the first entry that is read is told with the entries before it. */
function itemsMade(history: AgentHistory, task: string, endedAt: number | undefined): HistoryItems {
	const { agent, entries, firstEntry, unreadBytes, happened } = history;
	const from = unreadBytes === 0 ? 0 : (entries[0]?.at ?? 0);
	const events = from === 0 ? happened : happened.filter(({ at }) => at >= from);
	const transcript = new Transcript(agent, task);
	const list = new ItemList();
	let number = firstEntry;
	for (const item of inOrder(events, entries)) {
		for (const piece of piecesBefore(history, item.is === "event" ? item.event : item.entry))
			list.take(transcript.piece(piece));
		list.take(item.is === "event" ? transcript.event(item.event) : transcript.entry(item.entry, number++));
	}
	list.take(endedAt === undefined ? transcript.standing() : transcript.ended(endedAt));
	return {
		settled: list.items.slice(0, list.settled),
		rest: list.items.slice(list.settled),
		openCommands: transcript.openCommands.flatMap(({ command }) => command ?? []),
		triesOf: (turn) => transcript.triesOf(turn),
	};
}

const BREAKS: ReadonlySet<RunEvent["event"]> = new Set(["turn_retrying", "turn_failed", "turn_cancelled"]);

/** What had streamed of the call that broke, as what comes next says. */
function piecesBefore({ broken }: AgentHistory, next: RunEvent | TranscriptEntry) {
	const saysSo = "event" in next ? BREAKS.has(next.event) : next.role === "note";
	if (broken.length === 0 || !saysSo || !("turn" in next)) return [];
	const found = broken.find(({ turn, at }) => turn === next.turn && at === next.at);
	return found?.pieces.map((delta) => ({ turn: found.turn, delta })) ?? [];
}

/** The answer that streams. */
function streamingItems({ live }: AgentHistory, { triesOf }: HistoryItems): SaidItem[] {
	if (live === undefined) return [];
	const { turn, pieces } = live;
	return pieces.map(({ kind, text, block }, index): SaidItem => {
		const key = saidKey(turn, triesOf(turn), block ?? index);
		return { is: "said", key, turn, kind, text, state: "streaming" };
	});
}

/** What the agent does now: how its commands go, what it waits for, and at last how it ended. */

/** A command that has printed a moment ago is not silent. */
const TOLD_SILENCE_MS = 5_000;

interface Moment {
	readonly now: number;
	readonly activity: Activity;
}

/** How a running command goes: `running 1m52s, silent for 1m50s, 0.0 s of CPU`, and a line for each of its processes. */
function goingText(agent: Agent, command: number, { now, activity }: Moment): string | undefined {
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

/** The last lines of a history: what its agent waits for, and what waits for it; or how it ended. */
function standingBlocks(agent: Agent, hasWords: boolean, moment: Moment): Block[] {
	const { now } = moment;
	if (isOver(agent)) return [endingBlock(agent, now)];
	const messages = (agent.messages ?? []).map(({ from, text, at }, index) =>
		lineBlock(`waiting:${at}.${index}`, `queued from ${senderName(from)}: ${text}`, "warn", { mark: "» " }),
	);
	const doing = doingBlock(agent, hasWords, moment);
	return doing === undefined ? messages : [...messages, doing];
}

/** Undefined where the last block tells it already: a command that runs, an answer that streams. */
function doingBlock(agent: Agent, hasWords: boolean, moment: Moment): Block | undefined {
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
