/**
 * The history of one agent in the order of reading: its turns, each with what was thought and said and then its commands, each
 * of these with its result; and between them what happened to the agent. Made of its transcript and its events; whoever shows
 * it, as lines or as a page, shows the same items. Pure.
 */
import type { CommandEnd } from "../core/command.ts";
import type { AssistantBlock, ToolResultBlock, ToolUseBlock } from "../core/model/message.ts";
import { INTERRUPTED_BY_PERSON, messageIn, senderName } from "../core/model/told-message.ts";
import type { AssistantEntry, CommandRecord, NoteEntry, TranscriptEntry, UserEntry } from "../core/model/transcript.ts";
import { oneLine } from "../text/safe/terminal-safe.ts";
import { commandText, withoutEndNote } from "../text/tool-call.ts";
import type { AgentNotice, AgentNotices } from "./events/agent-notices.ts";
import type { AgentTimeline, CommandSpan, TurnSpan } from "./timeline.ts";
import { isBeginningOf } from "./words/logged-command.ts";

export type StoryItem =
	| { readonly is: "happened"; readonly agentNotice: AgentNotice }
	/** A turn begins. `answer`: what came of it, whose blocks follow; undefined when nothing did, or nothing so far. */
	| ({ readonly is: "turn" } & ToldTurn)
	| { readonly is: "said"; readonly block: Exclude<AssistantBlock, ToolUseBlock> }
	/** Words that the agent was told after its task. `sender`: who has sent them, in words, if they were a message. */
	| { readonly is: "told"; readonly at: number; readonly text: string; readonly sender: string | undefined }
	/** `isKnown`: of a call that its turn tells, too. */
	| { readonly is: "note"; readonly note: NoteEntry; readonly isKnown: boolean }
	| ({ readonly is: "command" } & ToldCommand);

export interface ToldTurn {
	readonly turn: number;
	readonly span: TurnSpan | undefined;
	readonly answer: AssistantEntry | undefined;
}

export interface ToldCommand {
	/** The id of its call; undefined when the command is known from the event log alone. */
	readonly callId: string | undefined;
	/** Undefined for the result of a call that is not in the transcript. */
	readonly text: string | undefined;
	/** Its number among those of its agent; undefined when nothing was run, or nothing so far. */
	readonly command: number | undefined;
	readonly span: CommandSpan | undefined;
	/** What the model got, without its line on the end; undefined when there is no result so far, or never will be. */
	readonly result: string | undefined;
	readonly end: CommandEnd | undefined;
	readonly outputBytes: number | undefined;
	/** The path of its output below the agent's directory. */
	readonly log: string | undefined;
}

export interface StoryOf {
	/** What the agent was asked, which stands above its story. */
	readonly task: string;
	/** Asked for anew with each entry, so it may grow. */
	readonly timeline: AgentTimeline;
	readonly agentNotices: AgentNotices;
}

export class AgentStory {
	private readonly of: StoryOf;
	/** The calls of the newest answer that have no results so far. */
	private calls: readonly ToolUseBlock[] = [];
	private readonly recorded = new Set<number>();
	private toldHappenings = 0;
	private toldTurns = 0;
	/** When the turns began whose answers are told: an answer may be recorded before its turn has an end. */
	private readonly answered = new Set<number>();

	constructor(of: StoryOf) {
		this.of = of;
	}

	entry(entry: TranscriptEntry): StoryItem[] {
		switch (entry.role) {
			case "note":
				return [...this.before(entry.at), { is: "note", note: entry, isKnown: this.isOfTurn(entry) }];
			case "assistant":
				return this.answer(entry);
			case "user":
				return [...this.results(entry), ...this.before(entry.at), ...this.words(entry)];
		}
	}

	/** What the transcript has no result of, what happened after its last message, and the turn that is under way. */
	rest(): StoryItem[] {
		return [...this.open(), ...this.before(Number.POSITIVE_INFINITY)];
	}

	/** The commands that have no results so far, or never will have one; those that have not begun, too. */
	private open(): StoryItem[] {
		const others = this.of.timeline.commands.filter(({ command }) => !this.recorded.has(command));
		const unmatched = this.calls.map((call): StoryItem => {
			const at = others.findIndex((span) => isOf(call, span));
			return openCommand(commandText(call), at < 0 ? undefined : others.splice(at, 1)[0], call.id);
		});
		const strays = others.map((span) => openCommand(span.text, span));
		return [...unmatched, ...strays];
	}

	/** The command as the events so far tell it. */
	spanOf(command: number): CommandSpan | undefined {
		return this.of.timeline.commands.find((span) => span.command === command);
	}

	/** What happened before `at`, and the turns that began before it and brought no answer. */
	private before(at: number): StoryItem[] {
		const { agentNotices, timeline } = this.of;
		const items: { at: number; item: StoryItem }[] = [];
		for (; this.toldTurns < timeline.turns.length; this.toldTurns++) {
			const span = timeline.turns[this.toldTurns] as TurnSpan;
			const isOpen = span.end === undefined && this.toldTurns === timeline.turns.length - 1;
			if (span.from >= at || (isOpen && at !== Number.POSITIVE_INFINITY)) break;
			const isAnswered = span.end?.by === "answer" || this.answered.has(span.from);
			const isTold = span.purpose !== undefined || isAnswered; // by a note, and by its answer
			if (isTold) continue;
			items.push({ at: span.from, item: { is: "turn", turn: span.turn, span, answer: undefined } });
			if (span.end?.by === "failure") items.push({ at: span.to, item: failed(span, span.end.reason) });
		}
		for (; this.toldHappenings < agentNotices.list.length; this.toldHappenings++) {
			const agentNotice = agentNotices.list[this.toldHappenings] as AgentNotice;
			if (agentNotice.at >= at) break;
			if (agentNotice.isDelivered) continue;
			items.push({ at: agentNotice.at, item: { is: "happened", agentNotice } });
		}
		return items.sort((a, b) => a.at - b.at).map(({ item }) => item);
	}

	private answer(entry: AssistantEntry): StoryItem[] {
		const { turn, at, content } = entry;
		const unanswered = this.calls.map((call) => openCommand(commandText(call), undefined, call.id));
		const span = this.of.timeline.turns.findLast(
			(one) => one.turn === turn && one.purpose === undefined && one.from <= at,
		);
		const said = content.flatMap((block): StoryItem[] => (block.type === "tool_use" ? [] : [{ is: "said", block }]));
		this.calls = content.filter((block) => block.type === "tool_use");
		if (span !== undefined) this.answered.add(span.from);
		const earlier = this.before(span?.from ?? at);
		return [...unanswered, ...earlier, { is: "turn", turn, span, answer: entry }, ...this.before(at), ...said];
	}

	private results(entry: UserEntry): StoryItem[] {
		return entry.content.filter((block) => block.type === "tool_result").map((block) => this.result(block, entry));
	}

	private result(block: ToolResultBlock, { commands = [] }: UserEntry): StoryItem {
		const call = this.calls.find(({ id }) => id === block.tool_use_id);
		this.calls = this.calls.filter((one) => one !== call);
		const record = commands.find(({ toolUseId }) => toolUseId === block.tool_use_id);
		const span = this.spanOfResult(block, record);
		const command = record?.command ?? span?.command;
		if (command !== undefined) this.recorded.add(command);
		const end = record?.end ?? span?.end;
		return {
			...{ is: "command", callId: block.tool_use_id, text: call && commandText(call), command, span, end },
			result: withoutEndNote(block.content, end),
			outputBytes: record?.outputBytes,
			log: record === undefined ? span?.log : record.log,
		};
	}

	/** A result of an agent that was cut off has no record: its command is the newest one of its call. */
	private spanOfResult(block: ToolResultBlock, record: CommandRecord | undefined): CommandSpan | undefined {
		if (record !== undefined) return this.spanOf(record.command);
		return this.of.timeline.commands.findLast(({ toolUseId }) => toolUseId === block.tool_use_id);
	}

	private words({ content, at, from }: UserEntry): StoryItem[] {
		const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
		const isTold = (text: string) => text.trim() === this.of.task.trim() || text === INTERRUPTED_BY_PERSON; // the event tells it
		const said = texts.filter((text) => from !== undefined || !isTold(text));
		return said.map((text) => {
			if (from === undefined) return { is: "told", at, text, sender: undefined };
			const { body = text, sender = senderName(from === "person" ? null : from) } = messageIn(text) ?? {};
			return { is: "told", at, text: body, sender };
		});
	}

	private isOfTurn(note: NoteEntry): boolean {
		return (
			note.note === "call" &&
			note.outcome !== "compaction" &&
			this.of.timeline.turns.some(({ turn }) => turn === note.turn)
		);
	}
}

function failed({ to: at, turn }: TurnSpan, reason: string): StoryItem {
	return { is: "happened", agentNotice: { at, text: `turn ${turn} failed: ${oneLine(reason)}`, isTrouble: true } };
}

/** Older logs do not say to which call a command belongs. */
function isOf(call: ToolUseBlock, { toolUseId, text }: CommandSpan): boolean {
	return toolUseId === undefined ? isBeginningOf(text, commandText(call)) : toolUseId === call.id;
}

/** A command whose result is not recorded: it runs, or its agent ended before the turn was over. */
function openCommand(text: string, span: CommandSpan | undefined, callId?: string): StoryItem {
	const { command, end, outputBytes, log } = span ?? {};
	return { is: "command", callId, text, command, span, result: undefined, end, outputBytes, log };
}
