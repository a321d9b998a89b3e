/**
 * The history of one agent as markup, message by message: each turn with what was thought and said, then its commands, each
 * with the beginning and the end of its output. Pure.
 */

import { formatBytes } from "../../../core/bytes.ts";
import { describeCommandEnd } from "../../../core/command.ts";
import type { AssistantBlock, ToolResultBlock, ToolUseBlock } from "../../../core/message.ts";
import type { AssistantEntry, NoteEntry, TranscriptEntry, UserEntry } from "../../../core/transcript.ts";
import { totalTokens } from "../../../core/usage.ts";
import { clockTime } from "../../../events/event-text.ts";
import type { AgentTimeline, CommandSpan } from "../../../events/timeline.ts";
import { formatDuration } from "../../../text/durations.ts";
import { describeNote } from "../../../text/notes.ts";
import { plainText } from "../../../text/strip-terminal.ts";
import { describeUsage } from "../../../text/usage.ts";
import type { Happenings } from "../happenings.ts";
import { cutText } from "./cut-text.ts";
import { html, type Markup } from "./markup.ts";

const OPEN_LINES = 12; // a longer output is folded
const TEXT_ROOM = 4; // texts of a model have more room than outputs

export interface HistoryOf {
	/** What the agent was asked, which stands above its history. */
	readonly task: string;
	readonly timeline: AgentTimeline;
	readonly happenings: Happenings;
	/** How much room its texts have; 1 is the usual one. */
	readonly room: number;
	/** The agent will do no more. */
	readonly isOver: boolean;
	/** The end of a command's output file; undefined when there is none. */
	readonly tailOf: (
		log: string,
	) => { readonly text: string; readonly isCut: boolean; readonly bytes: number } | undefined;
}

export class History {
	private readonly of: HistoryOf;
	/** The calls of the newest answer that have no results so far. */
	private calls: readonly ToolUseBlock[] = [];
	private readonly recorded = new Set<number>();
	private told = 0;

	constructor(of: HistoryOf) {
		this.of = of;
	}

	entry(entry: TranscriptEntry): Markup {
		const before = this.happenedBefore(entry.at);
		switch (entry.role) {
			case "note":
				return html`${before}${noteMarkup(entry, this.of.room)}`;
			case "assistant":
				return html`${this.unanswered()}${before}${this.answer(entry)}`;
			case "user":
				return html`${this.results(entry)}${before}`;
		}
	}

	/** What the transcript has no result of, and what happened after its last message. */
	rest(): Markup {
		const { timeline, happenings } = this.of;
		const others = timeline.commands.filter(({ command }) => !this.recorded.has(command));
		const unmatched = this.calls.map((call) => {
			const at = others.findIndex((command) => command.toolUseId === call.id);
			const command = at < 0 ? undefined : others.splice(at, 1)[0];
			return html`<div class="command">${callMarkup(call, this.of.room)}${command === undefined ? html`<p class="facts">not started</p>` : this.open(command)}</div>`;
		});
		const strays = others.map(
			(command) => html`<div class="command"><pre class="call">${command.text}</pre>${this.open(command)}</div>`,
		);
		const more =
			happenings.more === 0 ? undefined : html`<p class="note">${happenings.more} more events (agent log)</p>`;
		return html`${unmatched}${strays}${this.happenedBefore(Number.POSITIVE_INFINITY)}${more}`;
	}

	private happenedBefore(at: number): Markup[] {
		const { list } = this.of.happenings;
		const from = this.told;
		while ((list[this.told]?.at ?? Number.POSITIVE_INFINITY) < at) this.told++;
		if (at === Number.POSITIVE_INFINITY) this.told = list.length;
		return list.slice(from, this.told).map((one) => html`<p class="note">${timeOf(one.at)} ${one.text}</p>\n`);
	}

	private answer(entry: AssistantEntry): Markup {
		this.calls = entry.content.filter((block) => block.type === "tool_use");
		const shown = entry.content.filter((block) => block.type !== "tool_use");
		return html`<h4>turn ${entry.turn} ${timeOf(entry.at)} <small>${this.turnFacts(entry).join(" · ")}</small></h4>
${shown.map((block) => blockMarkup(block, this.of.room))}`;
	}

	private turnFacts({ turn, stopReason, usage, costUsd }: AssistantEntry): string[] {
		const span = this.of.timeline.turns.findLast((one) => one.turn === turn && one.purpose === undefined);
		const isUsual = stopReason === "tool_use" || stopReason === "end_turn";
		return [
			...(span === undefined ? [] : [`took ${formatDuration(span.to - span.from)}`]),
			...(totalTokens(usage) === 0 && costUsd === 0 ? [] : [describeUsage(usage, costUsd)]),
			...(isUsual ? [] : [stopReason]),
		];
	}

	/** Calls before another answer, without a result between. */
	private unanswered(): Markup[] {
		return this.calls.map((call) => html`<div class="command">${callMarkup(call, this.of.room)}</div>\n`);
	}

	private results(entry: UserEntry): Markup {
		const results = entry.content
			.filter((block) => block.type === "tool_result")
			.map((block) => this.result(block, entry));
		const texts = entry.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
		const said = texts.filter((text) => text.trim() !== this.of.task.trim());
		return html`${results}${said.map((text) => html`<blockquote><pre>${cutText(text, TEXT_ROOM * this.of.room)}</pre></blockquote>\n`)}`;
	}

	private result(block: ToolResultBlock, { commands = [] }: UserEntry): Markup {
		const call = this.calls.find(({ id }) => id === block.tool_use_id);
		this.calls = this.calls.filter((one) => one !== call);
		const record = commands.find(({ toolUseId }) => toolUseId === block.tool_use_id);
		const spans = this.of.timeline.commands;
		const span =
			record === undefined
				? spans.findLast(({ toolUseId }) => toolUseId === block.tool_use_id)
				: spans.find(({ command }) => command === record.command);
		const command = record?.command ?? span?.command;
		if (command !== undefined) this.recorded.add(command);
		const end = record?.end ?? span?.end;
		const facts = factsOf({ command, end, span, bytes: record?.outputBytes, log: record?.log });
		const output = outputMarkup(withoutEnd(block.content, end), this.of.room);
		return html`<div class="command">${call === undefined ? undefined : callMarkup(call, this.of.room)}${output}${facts}</div>\n`;
	}

	/** A command whose result is not recorded: it runs, or its agent ended before the turn was over. */
	private open(span: CommandSpan): Markup {
		const tail = this.of.tailOf(span.log);
		const cut = tail?.isCut ? html`<p class="note">earlier output is left out here</p>` : undefined;
		const output = tail === undefined ? undefined : outputMarkup(plainText(tail.text), this.of.room);
		const { command, end, log, outputBytes: bytes = tail?.bytes } = span;
		const facts = factsOf({ command, end, span, bytes, log, how: this.of.isOver ? undefined : "is running" });
		return html`${cut}${output}${facts}`;
	}
}

interface CommandFacts {
	readonly command: number | undefined;
	readonly end: CommandSpan["end"];
	readonly span: CommandSpan | undefined;
	readonly bytes: number | undefined;
	readonly log: string | undefined;
	/** How it stands when it has no end. */
	readonly how?: string | undefined;
}

/** `command 3: exit status 1 · 12s · 3 KiB printed · out/0003.log · agents 1.1 1.2`. */
function factsOf({ command, end, span, bytes, log, how = "its end is not known" }: CommandFacts): Markup {
	const isGood = end?.by === "exit" && end.code === 0;
	const ended =
		end === undefined ? how : html`<span class="${isGood ? "good" : "bad"}">${describeCommandEnd(end)}</span>`;
	const children = (span?.children ?? []).map((child) => html` <a href="#agent-${child}">${child}</a>`);
	const parts = [
		html`${command === undefined ? undefined : `command ${command}: `}${ended}`,
		...(span === undefined ? [] : [formatDuration(span.to - span.from)]),
		...(bytes === undefined ? [] : [`${formatBytes(bytes)} printed`]),
		...(log === undefined ? [] : [log]),
		...(children.length === 0 ? [] : [html`agents${children}`]),
	];
	return html`<p class="facts">${parts.map((part, at) => html`${at === 0 ? "" : " · "}${part}`)}</p>`;
}

/** A call that broke is told by its event; of its note only what had come of the answer is new. */
function noteMarkup(note: NoteEntry, room: number): Markup {
	const isBroken = note.note === "call" && note.outcome !== "compaction";
	const text = note.note === "compaction" ? note.summary : isBroken ? (note.partial ?? "") : "";
	const line = html`${timeOf(note.at)} ${isBroken ? "what had come of the answer" : describeNote(note)}`;
	if (text === "") return isBroken ? html`` : html`<p class="note">${line}</p>\n`;
	return html`<details class="note"><summary>${line}</summary><pre>${cutText(text, TEXT_ROOM * room)}</pre></details>\n`;
}

function blockMarkup(block: AssistantBlock, room: number): Markup {
	switch (block.type) {
		case "text":
			return html`<pre class="said">${cutText(block.text, TEXT_ROOM * room)}</pre>\n`;
		case "thinking":
			return html`<details class="thinking"><summary>thinking</summary><pre>${cutText(block.thinking, TEXT_ROOM * room)}</pre></details>\n`;
		case "redacted_thinking":
			return html`<p class="note">thinking that the service does not show</p>\n`;
		case "tool_use":
			return html``;
	}
	// A kind of block that this version does not know.
	return html`<p class="note">${String((block as { type?: unknown }).type)}</p>\n`;
}

function callMarkup({ name, input }: ToolUseBlock, room: number): Markup {
	const command = (input as { command?: unknown } | null | undefined)?.command;
	return html`<pre class="call">${cutText(typeof command === "string" ? command : `${name} ${JSON.stringify(input)}`, room)}</pre>`;
}

function outputMarkup(text: string, room: number): Markup {
	const trimmed = text.replace(/\n+$/, "");
	if (trimmed === "") return html``;
	const lines = trimmed.split("\n", OPEN_LINES + 1).length;
	if (lines <= OPEN_LINES) return html`<pre class="output">${cutText(trimmed, room)}</pre>`;
	return html`<details><summary>${lineCount(trimmed)} lines</summary><pre class="output">${cutText(trimmed, room)}</pre></details>`;
}

/** The text without its line on how the command failed, which is shown by itself. */
function withoutEnd(text: string, end: CommandSpan["end"]): string {
	const line = end === undefined ? "" : `[${describeCommandEnd(end)}]`;
	return line !== "" && text.endsWith(line) ? text.slice(0, -line.length) : text;
}

function lineCount(text: string): number {
	let lines = 1;
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
	return lines;
}

function timeOf(at: number): Markup {
	return html`<time>${clockTime(at).slice(0, 8)}</time>`;
}
