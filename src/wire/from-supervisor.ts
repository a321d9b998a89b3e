/**
 * An agent's check of a message from its supervisor: that `say` is a known word. Both are of one build, and an agent loads
 * no schemas; a test holds the words against those of agent-messages.ts.
 */
import type { ToAgent } from "./agent-messages.ts";

const WORDS: ReadonlySet<unknown> = new Set<ToAgent["say"]>([
	"joined",
	"refused",
	"answer",
	"ask_failed",
	"told",
	"ask_refused",
	"children",
	"permit",
	"pause",
	"logs",
	"out_of_time",
	"stop",
	"go_on",
	"interrupt",
	"close",
	"compact",
	"history",
	"changed",
	"finished",
]);

/** The value as a message to an agent; undefined when it is none. */
export function fromSupervisor(value: object): ToAgent | undefined {
	return isToAgent(value) ? value : undefined;
}

function isToAgent(value: object): value is ToAgent {
	return "say" in value && WORDS.has(value.say);
}
