/** When an agent gets a message, in words. */
import type { Arrival } from "./watcher-messages.ts";

const ARRIVES: Record<Arrival, string> = {
	next_call: "it gets the message with its next call",
	answer_end: "it gets the message after the current call",
	command_end: "it gets the message when its command ends",
	pause_end: "it is paused, and gets the message when it continues",
	children_end: "it gets the message when its command ends, which is waiting for child agents",
};

export function describeArrival(arrival: Arrival): string {
	return ARRIVES[arrival];
}
