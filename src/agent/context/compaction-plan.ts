/**
 * What a compaction keeps: the task, and whole rounds from the end. A round is an answer of the model and the user message
 * that follows it, so no cut comes between a call and its result. Pure.
 */
import { defined } from "../../core/defined.ts";
import { LEFT_OUT } from "../../core/model/placeholder-texts.ts";
import { dropResults, resultsWithin } from "./drop-results.ts";
import type { Context } from "./history.ts";
import type { HistoryMessage } from "./history-message.ts";

const [DO_NOT_FIT] = LEFT_OUT;

type PathOf = (log: string) => string;

/**
 * The index of the first message of the newest rounds that have at most `bytes` together; the last round is always kept.
 * 1, the index after the task, when there is no older round.
 */
export function keptFrom(messages: readonly HistoryMessage[], bytes: number): number {
	let cut = 0;
	let size = 0;
	const unanswered = new Set<string>(); // ids of results whose call stands in an earlier message
	for (let at = messages.length - 1; at >= 1; at--) {
		const one = messages[at];
		size += one?.bytes ?? 0;
		for (const block of one?.message.content ?? [])
			if (block.type === "tool_result") unanswered.add(block.tool_use_id);
			else if (block.type === "tool_use") unanswered.delete(block.id);
		const begins =
			one?.message.role === "assistant" && messages[at - 1]?.message.role === "user" && unanswered.size === 0;
		if (begins && (cut === 0 || size <= bytes)) cut = at;
		if (cut !== 0 && size > bytes) break;
	}
	return Math.max(1, cut);
}

export interface Kept {
	keptMessages: number;
	keptResults?: number;
}

/**
 * What a summary would leave: the newest rounds of `keepBytes`, without their older results where they have more than
 * `mostBytes`. Undefined when there is no older round to replace.
 */
export function planSummary(
	{ messages }: Context,
	{ keepBytes, mostBytes }: { keepBytes: number; mostBytes: number },
	pathOf: PathOf,
): Kept | undefined {
	const from = keptFrom(messages, keepBytes);
	if (from <= 1) return undefined;
	const kept = messages.slice(from);
	const size = kept.reduce((sum, { bytes }) => sum + bytes, 0);
	const keptResults = size <= mostBytes ? undefined : resultsWithin(kept, mostBytes, pathOf);
	return { keptMessages: kept.length, ...defined({ keptResults }) };
}

/** The context in at most `bytes`, so that a request fits: without old results, then without the oldest rounds. */
export function reduceTo(context: Context, bytes: number, pathOf: PathOf): Context {
	const { messages, summary } = context;
	const lighter = dropResults(messages, resultsWithin(messages, bytes, pathOf), pathOf);
	const size = lighter.reduce((sum, one) => sum + one.bytes, 0);
	const from = size <= bytes ? 1 : keptFrom(lighter, bytes - (lighter[0]?.bytes ?? 0));
	if (from <= 1) return { messages: lighter, summary };
	const note = summary === "" ? DO_NOT_FIT : `${summary}\n\n${DO_NOT_FIT}`;
	return { messages: [...lighter.slice(0, 1), ...lighter.slice(from)], summary: note };
}
