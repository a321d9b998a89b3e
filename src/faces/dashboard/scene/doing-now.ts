/** What an agent does now, in a few words; of one that has ended, what came of it. Pure. */
import { type Agent, type AgentId, type Ending, isOver } from "../../../core/model/agent.ts";
import { pauseOf } from "../../../core/run/pause.ts";
import { ordinal } from "../../../text/numbers.ts";
import { cleanText, firstLine } from "../../../text/safe/terminal-safe.ts";
import { describeEnding, questionNumbers } from "../../../text/states.ts";
import type { Style } from "../../../tui/text/line.ts";
import { describeCall, runningCommands } from "../../../view/words/now.ts";
import type { Activity } from "./activity.ts";
import { type AgentHistory, lastWords } from "./agent-history.ts";

export interface Words {
	readonly text: string;
	readonly tone: Style;
}

/** The first line of what an agent answered; one that went on since and ended again has another answer. */
export interface Answer {
	readonly endedAt: number;
	readonly line: string;
}

export type Answers = ReadonlyMap<AgentId, Answer>;

/** What is known beside the agent itself. */
export interface Told {
	readonly activity: Activity;
	readonly answers?: Answers;
	readonly history: AgentHistory;
	readonly now: number;
}

/** For an agent that waits for those below it "", since what these do is shown. */
export function doingNow(agent: Agent, told: Told): Words {
	const { asking } = agent;
	if (asking !== undefined && !isOver(agent))
		return { text: `asks you: ${questionNumbers(asking.questions)}`, tone: "warn" };
	const pause = pauseOf(agent);
	if (pause !== undefined) {
		const by = pause.by === agent.id ? "" : ` with ${pause.by}`;
		return { text: `paused${by}${pause.isHard ? ", its commands frozen" : ""}`, tone: "warn" };
	}
	const { state } = agent;
	switch (state.is) {
		case "queued":
			return queuedWords(agent, state.reason, told);
		case "thinking":
			return thinkingWords(agent, state, told);
		case "running":
			return runningWords(agent);
		case "waiting":
			return { text: "", tone: "dim" };
		case "listening":
			if (state.reason === undefined) return { text: "waits for you", tone: "calm" };
			return { text: `waits for you: ${firstLine(cleanText(state.reason))}`, tone: "warn" };
		case "ended":
			return endedWords(agent, state.ending, told);
	}
}

function queuedWords({ id }: Agent, reason: string | undefined, { activity }: Told): Words {
	if (reason !== undefined) return { text: `waits: ${firstLine(cleanText(reason))}`, tone: "dim" };
	const place = activity.places.get(id);
	return { text: place === undefined ? "queued" : `queued ${ordinal(place)} of ${activity.queued}`, tone: "dim" };
}

type Thinking = Extract<Agent["state"], { is: "thinking" }>;

function thinkingWords({ id }: Agent, state: Thinking, { activity, history, now }: Told): Words {
	const { retry } = state;
	const call = describeCall(state, now);
	const isRetried = retry !== undefined && retry.nextAt > now;
	if (call !== undefined && isRetried) return { text: cleanText(call), tone: "warn" };
	if (activity.heldSince.has(id)) return { text: "waits for the service", tone: "dim" };
	if (call !== undefined) return { text: call, tone: "calm" };
	const words = history.agent === id ? lastLine(history) : "";
	if (words !== "") return { text: words, tone: "plain" };
	return { text: retry === undefined ? "thinking" : `thinking, ${ordinal(retry.attempt)} retry`, tone: "calm" };
}

/** The last line so far of the answer that streams. */
function lastLine(history: AgentHistory): string {
	const lines = cleanText(lastWords(history)).split("\n");
	return firstLine(lines.findLast((line) => line.trim() !== "") ?? "");
}

function runningWords({ running, repeats }: Agent): Words {
	const commands = runningCommands(running);
	if (commands === undefined) return { text: "", tone: "dim" };
	const text = cleanText(commands);
	return repeats === undefined ? { text, tone: "plain" } : { text: `${repeats}× the same: ${text}`, tone: "warn" };
}

function endedWords(agent: Agent, ending: Ending, { answers }: Told): Words {
	if (ending.by !== "answer") return { text: causeOf(ending), tone: ending.by === "stopped" ? "dim" : "bad" };
	return { text: answerOf(agent, answers) || "answered", tone: "dim" };
}

/** `failed: overloaded`; the class of other endings is in their reasons. */
function causeOf(ending: Ending): string {
	const text = cleanText(describeEnding(ending));
	return firstLine(ending.by === "failure" ? text.replace(/^failure/, "failed") : text.replace(/^limit: /, ""));
}

/** Undefined while it is not known. */
export function answerOf(agent: Agent, answers: Answers | undefined): string | undefined {
	const known = answers?.get(agent.id);
	return isOver(agent) && known?.endedAt === agent.state.at ? known.line : undefined;
}
