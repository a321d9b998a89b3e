/** The notes of a transcript as lines for people. What agents wrote in them is made safe for a terminal. */

import type { CallNote, CompactionNote, NoteEntry } from "../../core/model/transcript.ts";
import { totalTokens } from "../../core/model/usage.ts";
import { formatTokens } from "../../text/numbers.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { describeUsage } from "../words/usage.ts";
import type { NoteItem } from "./items.ts";

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
