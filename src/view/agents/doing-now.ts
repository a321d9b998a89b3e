/**
 * What an agent does now, for every face. A word says what it does (`running`), a detail says what exactly (`$ make -j8`), and a
 * line says both with the time that it has taken: `running 1m05s, $ make -j8`. What agents wrote is made safe for a terminal.
 */

import { type DoingCounts, doingOf } from "../../core/doing.ts";
import type { Agent, AgentId } from "../../core/model/agent.ts";
import { pauseOf } from "../../core/run/pause.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { formatElapsed, formatWait } from "../../text/durations.ts";
import { counted, ordinal } from "../../text/numbers.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { shownCommand } from "../../text/shown-command.ts";
import { describeEnding, questionNumbers } from "../../text/states.ts";
import type { Activity } from "./activity.ts";
import { DOING_WORDS, describeCounts, doingWord, endWords, type Tone } from "./doing-words.ts";

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

/** Beside the word: `$ make (+1)`, `turn 3`, `question 3`, `3rd time in 12 s: overloaded`; of one that has ended what came of it. */
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

/** `3rd time in 12 s: overloaded`; undefined unless the call waits to be made again. */
function retryDetail({ retry }: Thinking, now: number): string | undefined {
	if (retry === undefined || retry.nextAt <= now) return undefined;
	return `${ordinal(retry.attempt)} time in ${formatWait(retry.nextAt - now)}: ${oneLine(retry.reason)}`;
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

/** The word and the detail, without the time: `awaiting you: question 3`, `retrying 3rd time in 12 s: overloaded`. */
export function phraseOf(agent: Agent, known: Known): string {
	const doing = doingOf(agent);
	const [word, detail] = [doingWord(doing), detailOf(agent, known)];
	if (detail === "") return word;
	return doing === "retrying" ? `${word} ${detail}` : `${word}: ${detail}`;
}

/**
 * The word, for how long, and the detail: `queued 3s, 2nd of 5`, `thinking 12s, turn 2`, `retrying 3rd time in 12 s: overloaded`,
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
	if (doing === "retrying" && state.is === "thinking" && retryDetail(state, known.now) !== undefined)
		return `${doingWord(doing)} ${detail}`;
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
