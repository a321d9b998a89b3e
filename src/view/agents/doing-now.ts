/**
 * What an agent does now, for every face. A word says what it does (`running`), a detail says what exactly (`$ make -j8`), and a
 * line says both with the time that it has taken: `running 1m05s, $ make -j8`. What agents wrote is made safe for a terminal.
 */

import { DOINGS, type Doing, type DoingCounts, doingOf } from "../../core/doing.ts";
import type { Agent, AgentId, AgentState, Ending } from "../../core/model/agent.ts";
import { pauseOf } from "../../core/run/pause.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { formatElapsed, formatWait } from "../../text/durations.ts";
import { counted, ordinal } from "../../text/numbers.ts";
import { shownCommand } from "../../text/safe/invisible.ts";
import { cleanText, firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { questionNumbers } from "../words/question.ts";
import type { Activity } from "./activity.ts";

/** What is known beside the agent itself. */
export interface Known {
	readonly now: number;
	readonly activity?: Partial<Activity> | undefined;
	/** The newest time that the service asked for fewer calls. */
	readonly slowed?: RunState["slowed"];
	/** What the agents below it do. */
	readonly below?: DoingCounts | undefined;
	/** The headline of its answer, when it has ended with one; of one that thinks, the line that it writes. */
	readonly says?: string | undefined;
}

/** Beside the word: `$ make (+1)`, `turn 3`, `question 3`, `3rd retry in 12 s: overloaded`; of one that has ended what came of it. */
export function detailOf(agent: Agent, known: Known): string {
	const pause = pauseOf(agent);
	const withWhom = pause === undefined || pause.by === agent.id ? [] : [`with ${pause.by}`];
	const frozen = pause?.isHard ? ["commands frozen"] : [];
	const outside = (agent.outside ?? []).map(({ text }) => `OUTSIDE: $ ${shownCommand(text)}`);
	return joined([...withWhom, ...frozen, ...outside, detailUnpaused(agent, known)]);
}

function joined(parts: readonly string[]): string {
	return parts.filter((part) => part !== "").join(", ");
}

function detailUnpaused(agent: Agent, known: Known): string {
	const { state, asking } = agent;
	if (asking !== undefined && state.is !== "ended") return questionNumbers(asking.questions);
	switch (state.is) {
		case "queued":
			return state.reason === undefined ? placeOf(agent.id, known) : oneLine(state.reason);
		case "thinking":
			return retryDetail(state, known.now) ?? heldLine(agent, known) ?? thinkingDetail(state, known);
		case "running":
			return repeating(agent, commandsOf(agent) ?? "between turns");
		case "waiting":
			return repeating(agent, (known.below && describeCounts(known.below)) || (commandsOf(agent) ?? ""));
		case "listening":
			return state.reason === undefined ? "" : oneLine(state.reason);
		case "ended":
			return state.ending.by === "answer" ? (known.says ?? "") : endWords(state.ending);
	}
}

function placeOf(id: AgentId, { activity }: Known): string {
	const place = activity?.places?.get(id);
	return place === undefined ? "" : `${ordinal(place)} of ${activity?.queued}`;
}

type Thinking = Extract<Agent["state"], { is: "thinking" }>;

/** `3rd retry in 12 s: overloaded`; undefined unless the call waits to be made again. */
function retryDetail({ retry }: Thinking, now: number): string | undefined {
	if (retry === undefined || retry.nextAt <= now) return undefined;
	return `${ordinal(retry.attempt)} retry in ${formatWait(retry.nextAt - now)}: ${oneLine(retry.reason)}`;
}

/**
 * `waits for the service 12s: no calls for 33 s: overloaded`; once calls are made again
 * `waits for the service 50s: 2 calls at once: overloaded`. Undefined unless the service holds up the call.
 */
function heldLine({ id, state }: Agent, { activity, slowed, now }: Known): string | undefined {
	const since = activity?.heldSince?.get(id);
	if (since === undefined || state.is !== "thinking") return undefined;
	const waits = `waiting for the service ${formatElapsed(now - since)}`;
	if (slowed === undefined) return waits;
	const { until, maxCalls, reason } = slowed;
	const calls = `${counted(maxCalls, "call")} at once`;
	return `${waits}: ${until > now ? `no calls for ${formatWait(until - now)}` : calls}: ${oneLine(reason)}`;
}

function thinkingDetail({ turn, purpose, retry }: Thinking, { says = "" }: Known): string {
	if (says !== "") return says;
	const tries = retry === undefined ? "" : `, ${ordinal(retry.attempt)} retry`;
	return `${purpose === "compaction" ? "summarizing older messages, " : ""}turn ${turn}${tries}`;
}

function repeating({ repeats }: Agent, text: string): string {
	return repeats === undefined ? text : `${repeats}× the same: ${text}`;
}

/** `$ make -j8 (+1)`; undefined when none runs. */
function commandsOf({ running: [first, ...others] }: Agent): string | undefined {
	if (first === undefined) return undefined;
	return `$ ${firstLine(first.text)}${others.length === 0 ? "" : ` (+${others.length})`}`;
}

/** The word and the detail, without the time: `awaiting you: question 3`, `3rd retry in 12 s: overloaded`. */
export function phraseOf(agent: Agent, known: Known): string {
	const doing = doingOf(agent);
	const [word, detail] = [doingWord(doing), detailOf(agent, known)];
	if (detail === "") return word;
	return doing === "retrying" ? detail : `${word}: ${detail}`;
}

/**
 * The word, for how long, and the detail: `queued 3s, 2nd of 5`, `thinking 12s, turn 2`, `3rd retry in 12 s: overloaded`,
 * `paused 12s: running 1m05s, $ make`, `ended: answer`.
 */
export function doingLine(agent: Agent, known: Known): string {
	const { state } = agent;
	const { now } = known;
	if (state.is === "ended") {
		const wasWaiting = agent.hadListened && state.ending.by !== "answer" ? " while waiting for you" : "";
		return `ended${wasWaiting}: ${describeEnding(state.ending)}`;
	}
	const pause = pauseOf(agent);
	const unpaused = unpausedLine(agent, known);
	if (pause === undefined) return unpaused;
	const how = `paused${pause.isHard ? " and frozen" : ""} ${formatElapsed(now - pause.since)}`;
	return `${how}: ${unpaused}`;
}

/** The same for where room is short: of one that runs commands, or waits for them, without the commands. */
export function shortLine(agent: Agent, known: Known): string {
	const { state } = agent;
	const isInCommand = agent.asking === undefined && (state.is === "running" || state.is === "waiting");
	if (!isInCommand || pauseOf(agent) !== undefined) return doingLine(agent, known);
	return `${doingWord(doingOf(agent))} ${formatElapsed(known.now - state.since)}`;
}

function unpausedLine(agent: Agent, known: Known): string {
	const { paused: _, ...unpaused } = agent;
	const { state } = agent;
	const doing = doingOf(unpaused);
	const detail = detailOf(unpaused, known);
	if (doing === "retrying" && state.is === "thinking" && retryDetail(state, known.now) !== undefined) return detail;
	if (heldLine(agent, known) === detail) return detail;
	const word = doingWord(doing === "retrying" ? "thinking" : doing);
	const isReason = (state.is === "queued" || state.is === "listening") && state.reason !== undefined;
	const rest = detail === "" ? "" : `${isReason && doing === state.is ? ":" : ","} ${detail}`;
	return `${word} ${formatElapsed(known.now - sinceOf(unpaused))}${rest}`;
}

/** Since when the agent does what it does. */
export function sinceOf(agent: Agent): number {
	const { state, asking } = agent;
	if (state.is === "ended") return state.at;
	return (pauseOf(agent) ?? asking ?? state).since;
}

/** Milliseconds from the join of the agent to its end, or to now; 0 when the system's time was set back before the join. */
export function ageOf(agent: Agent, now: number): number {
	return Math.max(0, (agent.state.is === "ended" ? agent.state.at : now) - agent.joinedAt);
}

/** How long it has been in its state; of one that has ended, how long it lived. */
export function timeInState(agent: Agent, now: number): number {
	return agent.state.is === "ended" ? ageOf(agent, now) : Math.max(0, now - sinceOf(agent));
}

export function doingTone(agent: Agent): Tone {
	const { state } = agent;
	if (state.is === "listening" && state.reason !== undefined) return "warn";
	const isRepeating = agent.repeats !== undefined && state.is === "running";
	return isRepeating ? "warn" : DOING_WORDS[doingOf(agent)].tone;
}

/** The words for what an agent does: the same in every list, count, title and bar. */

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

/** Why there is no answer, where a word or a mark says already that it failed: `overloaded`, `stopped: Ctrl-C`. `answered` where there is one. */
export function endWords(ending: Ending): string {
	if (ending.by === "answer") return "answered";
	return firstLine(cleanText(describeEnding(ending)).replace(/^(?:failure|limit): /, ""));
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
