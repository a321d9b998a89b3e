/**
 * What happened to an agent, or to the run, and stands in no message of its transcript: broken calls, refusals, pauses, stops,
 * shortages. What happens to the whole run stands in that of the root; pauses and stops in those of all agents below, too. Pure.
 */
import { type AgentId, isWithin, parentOf, ROOT } from "../../core/model/agent.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { wholeEnding } from "../../text/describe-ending.ts";
import { firstLine } from "../../text/safe/terminal-safe.ts";
import { meaningOf, subjectOf } from "../events/meanings.ts";

export interface Notice {
	readonly text: string;
	/** Something was refused, or has failed. */
	readonly isTrouble: boolean;
	/** For whoever watches it happen; other items tell it for good. */
	readonly isPassing?: boolean;
}

type EventForAllBelow = Extract<RunEvent, { event: "agent_paused" | "agent_continued" | "agent_stopping" }>;
type ChildEvent = Extract<RunEvent, { event: "agent_joined" | "agent_resumed" | "agent_ended" }>;

/** What happens to the agent happens to all below it. */
export function isForAllBelow(event: RunEvent): event is EventForAllBelow {
	const { event: is } = event;
	return is === "agent_paused" || is === "agent_continued" || is === "agent_stopping";
}

function isOfLife(event: RunEvent): event is ChildEvent {
	const { event: is } = event;
	return is === "agent_joined" || is === "agent_resumed" || is === "agent_ended";
}

/** Whether the transcript of the agent needs the event. */
export function concerns(event: RunEvent, agent: AgentId): boolean {
	if (event.event === "run_resumed") return true;
	const subject = subjectOf(event) ?? ROOT;
	if (subject === agent) return true;
	return isForAllBelow(event) ? isWithin(agent, subject) : isOfLife(event) && parentOf(subject) === agent;
}

/** What the event says in the transcript of the agent; undefined when that does not tell it, or tells it by turns and commands. */
export function noticeOf(event: RunEvent, agent: AgentId): Notice | undefined {
	if (isOfLife(event)) return parentOf(event.agent) === agent ? noticeOfChild(event) : undefined;
	const subject = subjectOf(event) ?? ROOT;
	if (event.event === "turn_started" && event.purpose !== undefined && subject === agent)
		return { text: meaningOf(event).text, isTrouble: false, isPassing: true };
	const isBelow = subject !== agent && isForAllBelow(event) && isWithin(agent, subject);
	if (subject !== agent && !isBelow) return undefined;
	const { text, tone, isInTranscript } = meaningOf(event);
	if (isInTranscript !== true) return undefined;
	const isOfRun = !("agent" in event || "parent" in event);
	const whose = isBelow ? `agent ${subject} ` : isOfRun ? "run: " : "";
	return { text: `${whose}${text}`, isTrouble: tone !== undefined && TROUBLE.has(event.event) };
}

const TROUBLE: ReadonlySet<RunEvent["event"]> = new Set([
	...(["child_refused", "client_refused", "host_refused", "turn_refused"] as const),
	...(["turn_failed", "place_replaced"] as const),
]);

function noticeOfChild(event: ChildEvent): Notice {
	const say = (what: string, isTrouble = false): Notice => {
		return { text: `agent ${event.agent} ${what}`, isTrouble, isPassing: true };
	};
	switch (event.event) {
		case "agent_joined":
			return say(`began: ${firstLine(event.task)}`);
		case "agent_resumed":
			return say("was resumed");
		case "agent_ended":
			return say(`ended: ${wholeEnding(event.ending)}`, event.ending.by !== "answer");
	}
}
