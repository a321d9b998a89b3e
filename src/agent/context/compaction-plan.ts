/**
 * What a compaction keeps: the task, and whole rounds from the end. A round is an answer and what was said to it, so no
 * cut comes between a call and its result. Pure.
 */
import { dropResults, resultsWithin } from "./drop-results.ts";
import type { HeldMessage } from "./held-message.ts";
import type { InForce } from "./history.ts";

type PathOf = (log: string) => string;

/**
 * Where the newest rounds begin that have at most `bytes` together; at least the last one is kept. 1, which is just
 * behind the task, when there is no older round.
 */
export function cutBefore(held: readonly HeldMessage[], bytes: number): number {
	let cut = 0;
	let size = 0;
	const unanswered = new Set<string>(); // results whose call is further up
	for (let at = held.length - 1; at >= 1; at--) {
		const one = held[at];
		size += one?.bytes ?? 0;
		for (const block of one?.message.content ?? [])
			if (block.type === "tool_result") unanswered.add(block.tool_use_id);
			else if (block.type === "tool_use") unanswered.delete(block.id);
		const begins = one?.message.role === "assistant" && held[at - 1]?.message.role === "user" && unanswered.size === 0;
		if (begins && (cut === 0 || size <= bytes)) cut = at;
		if (cut !== 0 && size > bytes) break;
	}
	return Math.max(1, cut);
}

export interface Kept {
	keptMessages: number;
	keptResults?: number;
}

/** Undefined when no older round is there to be replaced. `mostBytes`: of what stays; older results in it are dropped above that. */
export function planSummary(
	{ held }: InForce,
	{ keepBytes, mostBytes }: { keepBytes: number; mostBytes: number },
	pathOf: PathOf,
): Kept | undefined {
	const from = cutBefore(held, keepBytes);
	if (from <= 1) return undefined;
	const kept = held.slice(from);
	const size = kept.reduce((sum, { bytes }) => sum + bytes, 0);
	const results = size <= mostBytes ? {} : { keptResults: resultsWithin(kept, mostBytes, pathOf) };
	return { keptMessages: kept.length, ...results };
}

const LEFT_OUT = "(Older messages are left out here: they do not fit.)";

/** For a request that has to fit: without old results and, when that is not enough, without the oldest rounds. */
export function reducedTo(inForce: InForce, bytes: number, pathOf: PathOf): InForce {
	const { held, summary } = inForce;
	const lighter = dropResults(held, resultsWithin(held, bytes, pathOf), pathOf);
	const size = lighter.reduce((sum, one) => sum + one.bytes, 0);
	const from = size <= bytes ? 1 : cutBefore(lighter, bytes - (lighter[0]?.bytes ?? 0));
	if (from <= 1) return { held: lighter, summary };
	const note = summary === "" ? LEFT_OUT : `${summary}\n\n${LEFT_OUT}`;
	return { held: [...lighter.slice(0, 1), ...lighter.slice(from)], summary: note };
}
