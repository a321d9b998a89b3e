/** The words for what an agent does: the same in every list, count, title and bar. */

import { DOINGS, type Doing, type DoingCounts } from "../../core/doing.ts";
import type { AgentState, Ending } from "../../core/model/agent.ts";
import { cleanText, firstLine } from "../../text/safe/terminal-safe.ts";
import { describeEnding } from "../../text/states.ts";

/** What words are about: `busy` and `calm` work, `warn` may need a person, `bad` has failed. */
export type Tone = "plain" | "dim" | "busy" | "calm" | "good" | "warn" | "bad";

interface Words {
	readonly word: string;
	readonly tone: Tone;
	/** Of the time that it took; absent for an end, which takes none. */
	readonly did?: string;
}

export const DOING_WORDS: Readonly<Record<Doing, Words>> = {
	asking: { word: "awaiting you", tone: "warn", did: "awaited your answer" },
	running: { word: "running", tone: "busy", did: "ran" },
	thinking: { word: "thinking", tone: "calm", did: "thought" },
	retrying: { word: "retrying", tone: "warn", did: "waited to retry" },
	queued: { word: "queued", tone: "dim", did: "queued" },
	waiting: { word: "waiting", tone: "plain", did: "waited for agents" },
	listening: { word: "waiting for you", tone: "calm", did: "waited for you" },
	paused: { word: "paused", tone: "warn", did: "paused" },
	answered: { word: "answered", tone: "dim" },
	stopped: { word: "stopped", tone: "dim" },
	failed: { word: "failed", tone: "bad" },
};

export function doingWord(doing: Doing): string {
	return DOING_WORDS[doing].word;
}

/** `6 failed, 9 running, 25 queued`: what has failed first, and nothing of which there is none. */
export function describeCounts(counts: DoingCounts): string {
	const order = ["failed", ...DOINGS.filter((doing) => doing !== "failed")] as const;
	return order.flatMap((doing) => (counts[doing] === 0 ? [] : [`${counts[doing]} ${doingWord(doing)}`])).join(", ");
}

/** The state of an agent as the JSON has it: what it does, or how it ended. */
export function stateWord({ state }: { readonly state: AgentState }): string {
	return state.is === "ended" ? state.ending.by : state.is;
}

/** Why there is no answer: `failed: overloaded`; the class of other endings is in their reasons. `answered` where there is one. */
export function endWords(ending: Ending): string {
	if (ending.by === "answer") return "answered";
	const text = cleanText(describeEnding(ending));
	return firstLine(ending.by === "failure" ? text.replace(/^failure/, "failed") : text.replace(/^limit: /, ""));
}

const MOST_LOOKED_AT = 4_000; // characters: an answer may have millions

/** The first line of an answer that says something, without the marks of Markdown around it; behind a heading what it heads. */
export function headline(answer: string): string {
	const lines = answer
		.slice(0, MOST_LOOKED_AT)
		.split("\n")
		.map((line) => firstLine(line));
	const [first = lines.find((text) => text !== "") ?? "", second] = lines.filter((text) => /[\p{L}\p{N}]/u.test(text));
	const isHeading = /^#+\s/.test(first) && second !== undefined;
	return isHeading ? `${withoutMarks(first).replace(/:$/, "")}: ${withoutMarks(second)}` : withoutMarks(first);
}

function withoutMarks(line: string): string {
	return line.replace(/^(?:[#>*-]+\s+)+/, "").replace(/\*\*|__/g, "");
}
