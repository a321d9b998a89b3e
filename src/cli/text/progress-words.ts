/** What a person who watches a run is told of an event; undefined for what is no news, or is told by another event. Pure. */

import { type AgentId, ROOT } from "../../core/agent.ts";
import { describeCommandEnd } from "../../core/command.ts";
import { countDoings } from "../../core/doing.ts";
import { isFilesEvent } from "../../core/files-event.ts";
import { isQuestionEvent } from "../../core/questions.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { type RunState, totalsOf } from "../../core/run-state.ts";
import type { EventFacts } from "../../events/event-facts.ts";
import { describeEvent } from "../../events/event-text.ts";
import { troubleOfFiles } from "../../events/files-text.ts";
import { formatDuration, formatWait } from "../../text/durations.ts";
import { formatCost } from "../../text/money.ts";
import { describeCounts, whyNot } from "../../text/now.ts";
import { ordinal } from "../../text/numbers.ts";

export interface ProgressFacts extends EventFacts {
	/** The run after the event. */
	readonly run: RunState;
	/** The first line of what an agent said last. */
	readonly said: (agent: AgentId) => string;
}

export function progressWords(event: RunEvent, facts: ProgressFacts): string | undefined {
	if (isFilesEvent(event)) return troubleOfFiles(event) && describeEvent(event, facts);
	// WaitingNotices tell what is asked, at any level.
	if (isQuestionEvent(event)) return event.event === "question_asked" ? undefined : describeEvent(event, facts);
	switch (event.event) {
		case "run_started":
			return `${event.run}, model ${event.model}`;
		case "run_ended":
			return `ended${after(facts)}: ${totalsWords(facts.run)}`;
		case "agent_joined":
			return beginWords(event);
		case "agent_ended":
			return endWords(event, facts);
		case "command_started":
		case "command_ended":
			return commandWords(event, facts);
		case "turn_retrying":
		case "turn_failed":
			return brokenCallWords(event, facts);
		case "run_resumed":
		case "run_forked":
		case "run_named":
		case "run_stopping":
		case "agent_resumed":
		case "agent_paused":
		case "agent_continued":
		case "agent_repeats":
		case "message_sent":
		case "message_withdrawn":
		case "message_unheard":
		case "agent_interrupted":
		case "agent_listening":
		case "agent_changed":
		case "child_refused":
		case "host_refused":
		case "budget_noticed":
		case "history_compacted":
		case "calls_slowed":
		case "shortage_began":
		case "shortage_ended":
			return describeEvent(event, facts);
		case "turn_queued":
		case "turn_started":
		case "turn_ended":
		case "turn_cancelled":
		case "turn_refused": // ends its agent, for that reason
		case "message_delivered":
		case "todo_changed":
		case "aside_ended":
		case "client_refused":
		case "agent_stopping":
			return undefined;
	}
}

function brokenCallWords(
	event: Extract<RunEvent, { event: "turn_retrying" | "turn_failed" }>,
	facts: EventFacts,
): string | undefined {
	if (event.event === "turn_retrying") return event.waitMs < LEAST_WAIT_MS ? undefined : retryWords(event);
	return event.purpose === undefined ? undefined : describeEvent(event, facts); // a turn's failure ends its agent
}

function retryWords({ attempt, waitMs, reason }: Extract<RunEvent, { event: "turn_retrying" }>): string {
	return `${ordinal(attempt)} retry in ${formatWait(waitMs)}: ${reason}`;
}

function beginWords({ agent, role, task }: Extract<RunEvent, { event: "agent_joined" }>): string | undefined {
	return agent === ROOT ? undefined : `begins${role === undefined ? "" : ` as ${role}`}: ${task}`;
}

/** A call that breaks, and is made again at once, is no news: the waits grow. */
const LEAST_WAIT_MS = 5_000;

function commandWords(event: Extract<RunEvent, { event: `command_${string}` }>, facts: EventFacts): string | undefined {
	return event.event === "command_started" ? `$ ${event.text}` : commandEndWords(event, facts);
}

/** An exit status is for the model to judge. What a stop ends is told by the stop. */
function commandEndWords(event: Extract<RunEvent, { event: "command_ended" }>, facts: EventFacts): string | undefined {
	const { end, command, leftRunning } = event;
	if (end.by !== "exit" && end.by !== "stopped") return `command ${command}${after(facts)}: ${describeCommandEnd(end)}`;
	return leftRunning.length === 0 ? undefined : describeEvent(event, facts);
}

/** The root's end is that of the run. Who ended because an agent above did is not told. */
function endWords(
	{ agent, ending }: Extract<RunEvent, { event: "agent_ended" }>,
	{ said, ...facts }: ProgressFacts,
): string | undefined {
	if (agent === ROOT || (ending.by === "stopped" && /^agent \S+ above it /.test(ending.reason))) return undefined;
	const { costUsd = 0 } = facts.spent ?? {};
	const words = ending.by === "answer" ? said(agent) : whyNot(ending);
	const how = { answer: "answered", failure: "FAILED" }[ending.by as string] ?? ending.by;
	return `${how}${after(facts)}${costUsd === 0 ? "" : `, ${formatCost(costUsd)}`}${words === "" ? "" : `: ${words}`}`;
}

/** `1 failed, 10 answered; $0.42`. */
function totalsWords({ agents }: RunState): string {
	const all = Object.values(agents);
	const { costUsd } = totalsOf(all);
	return `${describeCounts(countDoings(all))}${costUsd === 0 ? "" : `; ${formatCost(costUsd)}`}`;
}

function after({ tookMs }: EventFacts): string {
	return tookMs === undefined ? "" : ` after ${formatDuration(tookMs)}`;
}
