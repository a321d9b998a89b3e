/** When an agent gets a message, in words. */
import type { Arrival } from "./watcher-messages.ts";

const ARRIVES: Record<Arrival, string> = {
	next_call: "it gets the message with its next call",
	answer_end: "it gets the message when the call under way has its answer",
	command_end: "it gets the message when its command ends",
	pause_end: "it is paused, and gets the message when it goes on",
	children_end: "it gets the message when its command ends, which waits for child agents",
};

export function describeArrival(arrival: Arrival): string {
	return ARRIVES[arrival];
}
