/**
 * A history as blocks of text, in the order of reading: task, thoughts, text, `$ command`, output, how it ended.
 * Each recorded entry is made into blocks once, so that block-window.ts can keep the wrapped lines of each block.
 */
import type { Agent } from "../../core/agent.ts";
import { type CommandEnd, describeCommandEnd } from "../../core/command.ts";
import type { AssistantBlock, ToolResultBlock, ToolUseBlock } from "../../core/message.ts";
import type { ModelDelta } from "../../core/model.ts";
import type { AssistantEntry, CommandRecord, MessageEntry, TranscriptEntry, UserEntry } from "../../core/transcript.ts";
import { formatDuration } from "../../text/durations.ts";
import { isBeginningOf } from "../../text/logged-command.ts";
import { describeEnding, retryWait } from "../../text/states.ts";
import { cleanText } from "../../text/terminal-safe.ts";
import type { AgentHistory, LiveAnswer, LiveCommand } from "../scene/agent-history.ts";
import type { Tone } from "../scene/line.ts";
import { type Block, GAP, proseBlocks, withGap } from "./block.ts";
import { noteBlocks } from "./note-blocks.ts";

/** What the blocks tell beside the history itself. */
export interface HistoryScene {
	readonly agent: Agent | undefined;
	/** Children of the agent, in the order of their numbers. */
	readonly children: readonly Agent[];
	readonly now: number;
}

export function historyBlocks(history: AgentHistory, scene: HistoryScene): Block[] {
	const { agent } = scene;
	const blocks = [...settledBlocks(history.entries)];
	if (history.entries.length === 0) blocks.push(...taskBlocks(agent?.task ?? ""));
	blocks.push(...pendingBlocks(history, scene));
	if (history.live !== undefined) blocks.push(...liveBlocks(history.live));
	const retry = agent === undefined ? undefined : retryWait(agent.state, scene.now);
	if (retry !== undefined) blocks.push(endBlock(cleanText(retry), "warn", "↻ "));
	if (agent?.state.is === "ended") {
		const { ending } = agent.state;
		const [mark, tone] = ending.by === "answer" ? (["✓ ", "good"] as const) : (["✗ ", "bad"] as const);
		blocks.push({ text: cleanText(describeEnding(ending)), tone, mark, bar: "  " });
	}
	return blocks;
}

const settledCache = new WeakMap<readonly TranscriptEntry[], Block[]>();
const entryCache = new WeakMap<MessageEntry, { next: MessageEntry | undefined; blocks: Block[] }>();

/** All but the calls of the last answer, whose results are not there yet. */
function settledBlocks(entries: readonly TranscriptEntry[]): Block[] {
	let blocks = settledCache.get(entries);
	if (blocks === undefined) {
		const isTask = (index: number) => entries.findIndex(({ role }) => role === "user") === index;
		blocks = entries.flatMap((entry, index) => {
			if (entry.role === "note") return noteBlocks(entry);
			return entryBlocks(entry, entry.role === "user" ? undefined : messageAfter(entries, index), isTask(index));
		});
		settledCache.set(entries, blocks);
	}
	return blocks;
}

/** Notes may stand between an answer and the results of its calls. */
function messageAfter(entries: readonly TranscriptEntry[], index: number): MessageEntry | undefined {
	for (let at = index + 1; at < entries.length; at++) {
		const entry = entries[at];
		if (entry !== undefined && entry.role !== "note") return entry;
	}
	return undefined;
}

function entryBlocks(entry: MessageEntry, next: MessageEntry | undefined, isFirst: boolean): Block[] {
	const cached = entryCache.get(entry);
	if (cached !== undefined && cached.next === next) return cached.blocks;
	const blocks = entry.role === "user" ? userBlocks(entry, isFirst) : assistantBlocks(entry, next);
	entryCache.set(entry, { next, blocks });
	return blocks;
}

function userBlocks(entry: UserEntry, isFirst: boolean): Block[] {
	return entry.content.flatMap((block) => {
		if (block.type !== "text") return []; // a result is shown below its call
		return isFirst ? taskBlocks(block.text) : [...proseBlocks(block.text, "warn", "» "), GAP];
	});
}

function taskBlocks(task: string): Block[] {
	return task.trim() === "" ? [] : [...proseBlocks(task, "heading"), GAP];
}

function assistantBlocks(entry: AssistantEntry, next: TranscriptEntry | undefined): Block[] {
	const results = next?.role === "user" ? next : undefined;
	return entry.content.flatMap((block) => assistantBlock(block, results));
}

function assistantBlock(block: AssistantBlock, results: UserEntry | undefined): Block[] {
	switch (block.type) {
		case "text":
			return withGap(proseBlocks(block.text, "plain"));
		case "thinking":
			return withGap(proseBlocks(block.thinking, "dim"));
		case "redacted_thinking":
			return [];
		case "tool_use":
			return results === undefined ? [] : [commandBlock(commandText(block)), ...resultBlocks(block, results), GAP];
	}
}

function resultBlocks(call: ToolUseBlock, entry: UserEntry): Block[] {
	const result = entry.content.find(
		(block): block is ToolResultBlock => block.type === "tool_result" && block.tool_use_id === call.id,
	);
	const record = entry.commands?.find((command) => command.toolUseId === call.id);
	if (result === undefined) return [endBlock("no result", "dim")];
	const output = outputBlocks(withoutEndLine(cleanText(result.content), record));
	return record === undefined ? output : [...output, commandEndBlock(record.end)];
}

/** Drops the last line of a result when it says how the command ended: the record of the command says it, too. */
function withoutEndLine(text: string, record: CommandRecord | undefined): string {
	const trimmed = text.trimEnd();
	const lastLine = trimmed.slice(trimmed.lastIndexOf("\n") + 1);
	if (record === undefined || lastLine.length > 80 || !lastLine.includes(describeCommandEnd(record.end)))
		return trimmed;
	return trimmed.slice(0, trimmed.length - lastLine.length).trimEnd();
}

/** The calls of the last answer, each with what its command printed so far. */
function pendingBlocks({ entries, commands }: AgentHistory, scene: HistoryScene): Block[] {
	const last = entries.findLast(({ role }) => role !== "note");
	const calls = last?.role === "assistant" ? last.content.filter(isCall) : [];
	const unmatched = [...commands];
	const blocks = calls.flatMap((call) => {
		const text = commandText(call);
		const index = unmatched.findIndex((live) => isBeginningOf(live.text, text));
		const live = index < 0 ? undefined : unmatched.splice(index, 1)[0];
		return [commandBlock(text), ...(live === undefined ? [] : liveCommandBlocks(live, scene)), GAP];
	});
	return [...blocks, ...unmatched.flatMap((live) => [commandBlock(live.text), ...liveCommandBlocks(live, scene), GAP])];
}

const tailCache = new WeakMap<LiveCommand, Block[]>();

function liveCommandBlocks(live: LiveCommand, { agent, children, now }: HistoryScene): Block[] {
	let tail = tailCache.get(live);
	if (tail === undefined) {
		tail = [
			...(live.isCut ? [endBlock("… earlier output left out", "dim", "│ ")] : []),
			...outputBlocks(cleanText(live.tail)),
		];
		tailCache.set(live, tail);
	}
	const blocks = [...childrenBlocks(live, children), ...tail];
	if (live.end !== undefined) return [...blocks, commandEndBlock(live.end)];
	if (agent?.state.is === "ended") return [...blocks, endBlock("no result", "dim")];
	return [...blocks, endBlock(`running ${formatDuration(Math.max(1_000, now - live.since))}`, "busy")];
}

/** Which rows of the tree the command's `agent "…"` have become. */
function childrenBlocks({ command }: LiveCommand, children: readonly Agent[]): Block[] {
	const ids = children.filter((child) => child.command === command).map(({ id }) => id);
	return ids.length === 0 ? [] : [endBlock(ids.join(", "), "calm", "→ ")];
}

const liveCache = new WeakMap<ModelDelta, Block[]>();

function liveBlocks({ pieces }: LiveAnswer): Block[] {
	return pieces.flatMap((piece) => {
		let blocks = liveCache.get(piece);
		if (blocks === undefined) {
			blocks = withGap(
				piece.kind === "command"
					? [commandBlock(piece.text)]
					: proseBlocks(piece.text, piece.kind === "text" ? "plain" : "dim"),
			);
			liveCache.set(piece, blocks);
		}
		return blocks;
	});
}

const commandCache = new WeakMap<AssistantBlock, string>();

function commandText(call: ToolUseBlock): string {
	let text = commandCache.get(call);
	if (text === undefined) {
		const { input } = call;
		const command = typeof input === "object" && input !== null && "command" in input ? input.command : input;
		text = typeof command === "string" ? command : (JSON.stringify(command) ?? "");
		commandCache.set(call, text);
	}
	return text;
}

function commandBlock(text: string): Block {
	return { text: cleanText(text).trim(), tone: "strong", mark: "$ ", bar: "  " };
}

function outputBlocks(output: string): Block[] {
	const text = output.replace(/^\n+/, "").trimEnd();
	return text === "" ? [] : [{ text, tone: "plain", mark: "│ ", bar: "│ " }];
}

function commandEndBlock(end: CommandEnd): Block {
	return endBlock(cleanText(describeCommandEnd(end)), end.by === "exit" && end.code === 0 ? "dim" : "bad");
}

function endBlock(text: string, tone: Tone, mark = "└ "): Block {
	return { text, tone, mark, bar: "  " };
}

function isCall(block: AssistantBlock): block is ToolUseBlock {
	return block.type === "tool_use";
}
