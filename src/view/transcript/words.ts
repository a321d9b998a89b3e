/** The words for the items of a transcript, the same in every face. Nothing is made safe for a terminal here. Pure. */
import { type CommandEnd, describeCommandEnd } from "../../core/bash-call.ts";
import { messageIn, senderName } from "../../core/model/message-marks.ts";
import { totalTokens } from "../../core/model/usage.ts";
import type { CallNote, CompactionNote, NoteEntry } from "../../core/schemas/transcript.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatTokens } from "../../text/numbers.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { describeUsage } from "../words/usage.ts";
import type { CommandItem, MessageItem, NoteItem, TurnItem } from "./items.ts";

/** Behind the words of a retry, where something of the answer was shown for good. */
export const VOID = "the partial answer above is void";

export interface Moment {
	readonly now: number;
	/** The agent does no more. */
	readonly isOver: boolean;
}

/** The files in which the outputs of the agent's commands are. */
export interface OutputFiles {
	/** The path of a file of the agent below the run's directory: `out/0003.log` → `1/2/out/0003.log`. */
	readonly pathOf: (log: string) => string;
	/** The end of a command's output file; undefined when there is none. */
	readonly tailOf: (
		log: string,
	) => { readonly text: string; readonly isCut: boolean; readonly bytes: number } | undefined;
}

/** `took 2s`, `1.2k in / 80 out, $0.0123`, `max_tokens`: what is known, and worth a word. */
export function turnFacts(turn: TurnItem, moment: Moment): string[] {
	const { startedAt, endedAt, end, answer } = turn;
	const to = endedAt ?? answer?.at ?? moment.now;
	const isUsual = answer === undefined || answer.stopReason === "tool_use" || answer.stopReason === "end_turn";
	return [
		...(startedAt === undefined ? [] : [`${how(turn, moment)} ${formatDuration(to - startedAt)}`]),
		...used(answer ?? end),
		...(isUsual ? [] : [answer.stopReason]),
	];
}

/** When its call was made; when it was answered where the log does not know that. */
export function turnStart({ startedAt, answer }: TurnItem): number | undefined {
	return startedAt ?? answer?.at;
}

function how({ answer, end }: TurnItem, { isOver }: Moment): string {
	if (answer !== undefined) return "took";
	switch (end?.by) {
		case undefined:
			return isOver ? "end unknown, after" : "running for";
		case "failure":
			return "failed after";
		case "cancelled":
			return "canceled after";
		case "cut_off":
			return "cut off after";
		case "answer":
			return "took";
	}
}

function used(call: object | undefined): string[] {
	if (call === undefined || !isCharged(call)) return [];
	const isFree = totalTokens(call.usage) === 0 && call.costUsd === 0;
	return isFree ? [] : [describeUsage(call.usage, call.costUsd)];
}

type Charged = Pick<NonNullable<TurnItem["answer"]>, "usage" | "costUsd">;

function isCharged(call: object): call is Charged {
	return "usage" in call;
}

/** How a command ended, or how it stands, and for how long it has run. */
export interface CommandStanding {
	/** `exit status 1`, `running`, `not started yet`, `cut off, its end is not known`; empty for a result of what was no command. */
	readonly words: string;
	/** `1m05s`; undefined where it is not known. */
	readonly took: string | undefined;
	readonly isGood: boolean;
}

export function commandStanding(item: CommandItem, { now, isOver }: Moment): CommandStanding {
	const { startedAt, endedAt, end, command, result } = item;
	const took = startedAt === undefined || endedAt === undefined ? undefined : formatDuration(endedAt - startedAt);
	if (end !== undefined) {
		return { words: describeCommandEnd(end), took, isGood: end.by === "exit" && end.code === 0 };
	}
	if (command === undefined) {
		const words = result !== undefined ? "" : isOver || item.state === "lost" ? "not started" : "not started yet";
		return { words, took: undefined, isGood: true };
	}
	if (item.state === "running" && !isOver && startedAt !== undefined)
		return { words: "running", took: formatDuration(now - startedAt), isGood: true };
	return { words: "cut off, end unknown", took: undefined, isGood: true };
}

/** `left running: sleep (71)`; undefined when nothing was. */
export function leftRunning({ leftRunning: left }: CommandItem): string | undefined {
	return left.length === 0 ? undefined : `left running: ${left.map(({ pid, name }) => `${name} (${pid})`).join(", ")}`;
}

/** What the model got, without the line about how the command ended, which is told beside it. */
export function resultText({ result = "", end }: Pick<CommandItem, "result" | "end">): string {
	return withoutEndNote(result, end);
}

/** Above the words of a message; undefined for words that are none. */
export function messageHead(item: MessageItem): string | undefined {
	const sender = senderOf(item);
	return sender === undefined ? undefined : `message from ${sender}`;
}

/** `the person`, `agent 1.2`; undefined for words that are no message. */
export function senderOf({ from, text }: MessageItem): string | undefined {
	if (from === undefined) return undefined;
	return messageIn(text)?.sender ?? senderName(from === "person" ? null : from);
}

/** What was sent. A person may write like a message: only what was sent as one is taken apart. */
export function messageText({ from, text }: MessageItem): string {
	return from === undefined ? text : (messageIn(text)?.body ?? text);
}

const MOST_NOTES = 5; // lines of the tool's own that may follow an output

/** The text of a result without its line on how the command ended, which is told beside it. */
function withoutEndNote(text: string, end: CommandEnd | undefined): string {
	if (end === undefined) return text;
	const note = `[${describeCommandEnd(end)}]`;
	const lines = text.split("\n");
	const at = lines.lastIndexOf(note);
	const behind = lines.slice(at + 1);
	const isOfTool = behind.length <= MOST_NOTES && behind.every((line) => line.startsWith("["));
	return at < 0 || !isOfTool ? text : [...lines.slice(0, at), ...lines.slice(at + 1)].join("\n");
}

/** Of a result whose middle the tool has left out: how many lines were printed, where that is known. Undefined for others. */
export function middleLeftOut(result: string): { readonly lines: number | undefined } | undefined {
	const marker = /\n\[\.\.\. the middle is left out\b(?<facts>.*) \.\.\.\]\n/.exec(result)?.groups?.facts;
	if (marker === undefined) return undefined;
	const lines = / bytes in ([\d,]+) lines in all;/.exec(marker)?.[1];
	return { lines: lines === undefined ? undefined : Number(lines.replaceAll(",", "")) };
}

/** The notes of a transcript as lines for people. What agents wrote in them is made safe for a terminal. */

/** Undefined for a note of a call that its turn tells, when nothing stands below it. */
export function noteHead({ note, isOfTurn, text }: NoteItem): string | undefined {
	if (!isOfTurn) return describeNote(note);
	return text === "" ? undefined : "partial answer";
}

/** From such a note on the agent's history is another one. */
export function isTurningPoint({ note }: Pick<NoteEntry, "note">): boolean {
	return note !== "call";
}

export function describeNote(note: NoteEntry): string {
	switch (note.note) {
		case "call":
			return describeCall(note);
		case "compaction":
			return describeCompaction(note);
		case "forked":
			return `copied from ${oneLine(note.from)}; earlier usage is counted there`;
		case "changed":
			return `switched to the model ${oneLine(note.model)}`;
		case "resumed":
			return [describeResume(oneLine(note.reason)), ...(note.damage ?? []).map(oneLine)].join("; ");
	}
}

/** `reason`: as `describeEnding` has it. */
function describeResume(reason: string): string {
	const [, by = "", why = ""] = /^(\w+)(?:: | by )?(.*)$/.exec(reason) ?? [];
	const because = why === "" ? "" : ` (${why})`;
	return `the agent ${LAPSES[by]?.(because) ?? `ended here (${reason})`} and was resumed`;
}

const LAPSES: Readonly<Record<string, (because: string) => string>> = {
	answer: () => "ended here with its answer",
	failure: (because) => `failed here${because}`,
	limit: (because) => `reached a limit here${because}`,
	stopped: (because) => `was stopped here${because}`,
	killed: (because) => `was killed here${because}`,
	crashed: (because) => `crashed here${because}`,
};

/** `older rounds replaced by a summary: 812.0k → 45.2k tokens`. */
function describeCompaction({ how, tokensBefore: before, tokensAfter: after }: CompactionNote): string {
	const what = how === "summary" ? "older messages replaced by a summary" : "older command results dropped";
	const isRoughlySame = formatTokens(before) === formatTokens(after);
	const [from, to] = isRoughlySame ? [before, after] : [formatTokens(before), formatTokens(after)];
	return `${what}: ${from} → ${to} tokens`;
}

function describeCall({ outcome, reason, usage, costUsd }: CallNote): string {
	const why = oneLine(reason) === "" ? "" : `: ${oneLine(reason)}`;
	const isFree = totalTokens(usage) === 0 && costUsd === 0;
	const used = isFree ? "" : ` (${describeUsage(usage, costUsd)})`;
	switch (outcome) {
		case "retried":
			return `a call broke off and was retried${why}${used}`;
		case "failed":
			return `a call failed${why}${used}`;
		case "cancelled":
			return `a call was canceled${why}${used}`;
		case "compaction":
			return `a call wrote the summary${used}`;
	}
}
