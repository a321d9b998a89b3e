/** What an agent does now, or what came of it, as one line that begins with what matters. Pure. */

import { DOINGS, type DoingCounts } from "../../core/doing.ts";
import type { Agent, Ending } from "../../core/model/agent.ts";
import { pauseOf } from "../../core/run/pause.ts";
import { formatWait } from "../../text/durations.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { shownCommand } from "../../text/shown-command.ts";
import { describeEnding, questionNumbers } from "../../text/states.ts";
import { doingWord } from "./doing-word.ts";

type Thinking = Extract<Agent["state"], { is: "thinking" }>;

export interface NowFacts {
	readonly now: number;
	/** Its answer, of an agent that has given one. */
	readonly answer?: string | undefined;
	/** What the agents below it do. */
	readonly below?: DoingCounts | undefined;
}

/**
 * `$ make -j8`, `turn 3`, `again in 33 s: overloaded`, `4 running, 1 failed` of one that waits for these; of one that has
 * ended the first line of its answer, or why there is none. How long it does that, and its state in a word, is said beside it.
 */
export function describeNow(agent: Agent, facts: NowFacts): string {
	const pause = pauseOf(agent);
	const paused = pause === undefined ? [] : [pause.isHard ? "frozen" : "held"];
	const repeats = agent.repeats === undefined || agent.state.is === "ended" ? [] : [`${agent.repeats}× the same`];
	const asks = agent.asking === undefined ? [] : [`asks you: ${questionNumbers(agent.asking.questions)}`];
	const outside = (agent.outside ?? []).map(({ text }) => `OUTSIDE: $ ${shownCommand(text)}`);
	return [...paused, ...repeats, ...asks, ...outside, describeDoing(agent, facts)]
		.filter((part) => part !== "")
		.join(", ");
}

function describeDoing(agent: Agent, { now, answer = "", below }: NowFacts): string {
	const { state } = agent;
	switch (state.is) {
		case "queued":
			return state.reason === undefined ? "waits for a slot" : oneLine(state.reason);
		case "thinking":
			return describeCall(state, now) ?? `turn ${state.turn}`;
		case "running":
			return describeCommands(agent);
		case "waiting":
			return (below && describeCounts(below)) || describeCommands(agent);
		case "listening":
			return state.reason === undefined ? "waits for a message of yours" : oneLine(state.reason);
		case "ended":
			return state.ending.by === "answer" ? headline(answer) : whyNot(state.ending);
	}
}

/** `again in 33 s: overloaded`, `summarises older rounds`; undefined of a call that is neither. */
export function describeCall({ retry, purpose }: Thinking, now: number): string | undefined {
	if (retry !== undefined && retry.nextAt > now)
		return `again in ${formatWait(retry.nextAt - now)}: ${oneLine(retry.reason)}`;
	return purpose === "compaction" ? "summarises older rounds" : undefined;
}

function describeCommands({ running }: Agent): string {
	return runningCommands(running) ?? "between two turns";
}

/** `$ make -j8 (+1)`; undefined when none runs. */
export function runningCommands([first, ...others]: Agent["running"]): string | undefined {
	if (first === undefined) return undefined;
	return `$ ${firstLine(first.text)}${others.length === 0 ? "" : ` (+${others.length})`}`;
}

/** Why there is no answer, without the class of the ending. */
export function whyNot(ending: Ending): string {
	return describeEnding(ending).replace(/^(?:failure|limit|stopped|crashed): /, "");
}

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

const MOST_LOOKED_AT = 4_000; // characters: an answer may have millions

function withoutMarks(line: string): string {
	return line.replace(/^(?:[#>*-]+\s+)+/, "").replace(/\*\*|__/g, "");
}

/** `6 failed, 9 running, 25 queued`: what has failed first, and nothing of which there is none. */
export function describeCounts(counts: DoingCounts): string {
	const order = ["failed", ...DOINGS.filter((doing) => doing !== "failed")] as const;
	return order.flatMap((doing) => (counts[doing] === 0 ? [] : [`${counts[doing]} ${doingWord(doing)}`])).join(", ");
}
