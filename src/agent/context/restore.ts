/**
 * The history of a resumed agent, from its transcript. A command whose result is missing is never run again. However long
 * the transcript is, only what a request may carry is held: the task and the newest rounds, where no compaction has cut it.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defined } from "../../core/defined.ts";
import { ifThere } from "../../core/if-there.ts";
import { callIdsIn, textOf, type UserBlock } from "../../core/model/message.ts";
import { ALSO, EMPTIED, INTERRUPTED, INTERRUPTION, LEFT_OUT, MOVED } from "../../core/model/placeholder-texts.ts";
import type { AssistantEntry, TranscriptEntry } from "../../core/schemas/transcript.ts";
import { forEachEntry } from "../../record/read-events.ts";
import { damageByKind } from "../../record/repair.ts";
import type { EarlierChild, Joined, Resumed } from "../../wire/agent-messages.ts";
import type { UserContent } from "../supervisor-client.ts";
import { contextBytes, type History } from "./history.ts";

export interface Restored {
	/** What the agent is told first. */
	firstMessage: UserContent;
	/** Its newest text before the interruption; none of an answer, after which something else is asked. */
	lastWords: string;
	/** Its answer, when it had answered and was ended before it could finish: nothing is left to do. */
	answer?: string;
	/** The highest number of its commands so far. */
	commands: number;
	/** Damage of its files, one line each, for people. */
	damage: string[];
}

const KEPT_BYTES_A_TOKEN = 4; // above the estimate BYTES_A_TOKEN: prose that still fits is not left out; the rest is for compaction
const LEAST_BYTES = 2 * 1024 * 1024;
const MAX_WORDS = 50_000; // characters of a child's words
const LEAST_WORDS = 4_000; // even where the words of all children together are more than a quarter of the context
const [, LEFT_OUT_BEFORE] = LEFT_OUT;

/** Fills `history`, which is empty, from the transcript. */
export function restore(history: History, joined: Joined, resumed: Resumed): Restored {
	const replay = new TranscriptReplay(history, joined);
	const damage = forEachEntry(runDirectoryOf(joined), joined.agent, (entry) => replay.add(entry));
	const content = replay.isEmpty && joined.task !== "" ? [text(joined.task)] : [];
	const isReport = resumed.reason.startsWith("limit:"); // a report at a limit is not the answer that was asked for
	const hasMore = isReport || resumed.message !== undefined || resumed.hasMessages === true;
	const isToldNothing = resumed.isAtRest && joined.isConversation && resumed.message === undefined;
	const words = isToldNothing ? [] : [text(resumeText(resumed, replay.recorded, joined))];
	return {
		firstMessage: {
			content: [...content, ...replay.interruptedResults(), ...placeWords(resumed, joined, replay), ...words],
		},
		lastWords: hasMore && !isReport && replay.answer !== undefined ? "" : replay.lastWords,
		...defined({ answer: hasMore ? undefined : replay.answer }),
		commands: Math.max(0, ...replay.recorded, ...loggedCommands(joined.directory)),
		damage: [...resumed.damage, ...damageByKind(damage)],
	};
}

const TMP = /\/tmp\b|mktemp|TMPDIR/;

class TranscriptReplay {
	isEmpty = true;
	lastWords = "";
	/** The newest message, when it is an answer. */
	answer: string | undefined;
	/** Numbers of the commands whose results are in the transcript. */
	readonly recorded = new Set<number>();
	/** Its commands name /tmp. */
	usesTmp = false;
	private open: string[] = [];
	private newBytes = 0;
	private readonly history: History;
	private readonly task: string;
	private readonly maxBytes: number;

	constructor(history: History, { task, contextTokens }: Joined) {
		this.history = history;
		this.task = task;
		this.maxBytes = Math.max(LEAST_BYTES, contextTokens * KEPT_BYTES_A_TOKEN);
	}

	add(entry: TranscriptEntry): void {
		if (this.isEmpty && entry.role === "assistant") this.history.add({ role: "user", content: [text(this.task)] }); // the line with the task was lost
		if (entry.role !== "note") this.isEmpty = false;
		if (entry.role === "assistant") {
			this.lastWords = textOf(entry.content) || this.lastWords;
			this.open = callIdsIn(entry.content);
			this.usesTmp ||= entry.content.some(
				(block) => block.type === "tool_use" && TMP.test(JSON.stringify(block.input)),
			);
			this.answer = answerIn(entry);
		}
		if (entry.role === "user") {
			this.open = [];
			if (this.answer !== undefined) this.lastWords = "";
			this.answer = undefined;
			for (const { command } of entry.commands ?? []) this.recorded.add(command);
		}
		this.history.add(entry);
		this.newBytes += this.history.context.messages.at(-1)?.bytes ?? 0;
		if (this.newBytes > this.maxBytes / 2) this.fit();
	}

	/** Results for the calls that were under way: what they did is unknown. */
	interruptedResults(): UserBlock[] {
		return this.open.map((id) => ({ type: "tool_result", tool_use_id: id, content: INTERRUPTED, is_error: true }));
	}

	/** Leaves out whole rounds, the oldest first: what is kept begins with an answer. */
	private fit(): void {
		this.newBytes = 0;
		const { messages, summary } = this.history.context;
		if (contextBytes({ messages, summary }) <= this.maxBytes) return;
		let bytes = 0;
		let kept = 0;
		for (let at = messages.length - 1; at > 0; at--) {
			bytes += messages[at]?.bytes ?? 0;
			if (bytes > this.maxBytes / 2) break;
			if (messages[at]?.message.role === "assistant") kept = messages.length - at;
		}
		const said = summary.includes(LEFT_OUT_BEFORE) ? summary : `${summary}\n\n${LEFT_OUT_BEFORE}`.trim();
		this.history.add({ role: "note", note: "compaction", how: "summary", summary: said, keptMessages: kept });
	}
}

function placeWords(
	{ movedFrom, hasNewTmp }: Resumed,
	{ cwd }: Joined,
	{ usesTmp }: Pick<TranscriptReplay, "usesTmp">,
): UserBlock[] {
	const moved = `${MOVED} ${cwd}. It was ${movedFrom}: files from there may be here, and earlier paths may be wrong.]`;
	return [...(movedFrom === undefined ? [] : [text(moved)]), ...(hasNewTmp && usesTmp ? [text(EMPTIED)] : [])];
}

function resumeText(
	{ reason, message, children, isAtRest }: Resumed,
	recorded: ReadonlySet<number>,
	{ contextTokens }: Pick<Joined, "contextTokens">,
): string {
	if (isAtRest && message !== undefined) return message;
	const unknown = children.filter(({ command }) => command === undefined || !recorded.has(command));
	const share = Math.min(MAX_WORDS, Math.max(LEAST_WORDS, Math.floor(contextTokens / unknown.length)));
	const words = [
		`${INTERRUPTION}${reason}) and have now been resumed. No command was run again, and interrupted work may be partly done: check before you repeat anything.`,
		...unknown.map((child) => childText(child, share)),
	];
	if (message !== undefined) words.push(`${ALSO}${message}`);
	return words.join("\n\n");
}

function childText(child: EarlierChild, share: number): string {
	const { agent, task, lastWords, hasAnswered, command } = child;
	const known = command === undefined ? " (you may have seen this already: which command started it is unknown)" : "";
	if (hasAnswered) return `Your agent ${agent} (${task}) had answered${known}:\n${partOf(child, share)}`;
	const said = lastWords === "" ? "It had not said anything." : `Its last words: ${partOf(child, share)}`;
	const how = `To resume it, run in bash: agent resume ${agent} - it continues with its own history, and its stdout is its answer.`;
	return `Your agent ${agent} (${task}) had not answered. ${said}\n${how}`;
}

function partOf({ agent, lastWords, transcript, characters = lastWords.length }: EarlierChild, share: number): string {
	const part = lastWords.slice(0, share).toWellFormed();
	if (part.length === characters) return part;
	return `${part}…\n[cut: ${part.length} of ${characters} characters; the whole text: agent show ${agent}, or the last line of ${transcript}]`;
}

function answerIn({ content, stopReason }: AssistantEntry): string | undefined {
	const words = textOf(content);
	const isAnswer = stopReason === "end_turn" || stopReason === "stop_sequence";
	return isAnswer && words.trim() !== "" && callIdsIn(content).length === 0 ? words : undefined;
}

/** Numbers of all commands that have a log, also of those whose end was not recorded: no log may be overwritten. */
function loggedCommands(directory: string): number[] {
	const names = ifThere(() => readdirSync(join(directory, "out"))) ?? []; // the directory is made for the first command
	return names.flatMap((name) => /^(\d+)\.log$/.exec(name)?.[1] ?? []).map(Number);
}

/** An agent's directory lies as deep below the run's as its id has parts. */
function runDirectoryOf({ directory, agent }: Joined): string {
	return join(directory, ...agent.split(".").map(() => ".."));
}

function text(words: string): UserBlock {
	return { type: "text", text: words };
}
