/** Where a copy of a conversation ends that is to end before a message of the person. */
import { ROOT } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { jsonLines } from "../../store/jsonl.ts";
import { asEvent } from "../../store/read-events.ts";
import { eventsPath } from "../../store/run-directory.ts";
import { type PersonMessage, personMessages } from "./person-messages.ts";

export interface ConversationCut {
	/** How many lines of the root's transcript stay. */
	readonly transcriptLines: number;
	/** How many lines of the event log stay. */
	readonly eventLines: number;
	/** What stays ends with an answer. */
	readonly isAnswered: boolean;
}

/** `before`: the number of the message, the task being the first. Throws AgentreeError("usage") when there is no such message, or nothing before it. */
export function conversationCut(directory: string, before: number): ConversationCut {
	const messages = [...personMessages(directory)];
	const message = messages[before - 1];
	if (message === undefined || before < 2) throw noSuchMessage(before, messages.length);
	const { line, isNext } = message;
	return { transcriptLines: line - 1, eventLines: eventsBefore(directory, message), isAnswered: isNext };
}

function noSuchMessage(before: number, count: number): AgentreeError {
	const why = before < 2 ? "nothing stands before the first message" : `there are ${count} messages`;
	return new AgentreeError("usage", `the conversation cannot be cut before message ${before}: ${why}`);
}

/** The lines of the event log up to where the message got to the root: behind the root's answer before it, and what followed from that. */
function eventsBefore(directory: string, { turn, at }: PersonMessage): number {
	let isBehind = turn === 0;
	let last = 0;
	for (const { line, ...read } of jsonLines(eventsPath(directory))) {
		const event = read.is === "value" ? asEvent(read.value) : undefined;
		if (event !== undefined && ((isBehind && beginsNext(event)) || event.at > at)) return line - 1;
		if (event?.event === "turn_ended" && event.agent === ROOT && isAnswer(event, turn)) isBehind = true;
		last = line;
	}
	return last;
}

function isAnswer({ turn, purpose }: Extract<RunEvent, { event: "turn_ended" }>, answer: number): boolean {
	return purpose === undefined && turn === answer;
}

const OF_NEXT_TURN = ["turn_queued", "turn_started", "message_delivered", "agent_ended", "agent_resumed"];
const OF_NEXT_LIFE = ["run_resumed", "run_forked", "run_stopping", "run_ended"];

/** Whether the event is of the turn that the message led to, or of what came between: an end, and a resumption. */
function beginsNext(event: RunEvent): boolean {
	if (OF_NEXT_LIFE.includes(event.event)) return true;
	return "agent" in event && event.agent === ROOT && OF_NEXT_TURN.includes(event.event);
}
