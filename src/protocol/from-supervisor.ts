/**
 * What an agent checks of what its supervisor says: that it is a word it knows. Both are of one build, and an agent loads
 * no schemas; a test holds the words against those of agent-messages.ts.
 */
import type { ToAgent } from "./agent-messages.ts";

const WORDS: ReadonlySet<unknown> = new Set<ToAgent["say"]>([
	"joined",
	"refused",
	"answer",
	"ask_failed",
	"ask_refused",
	"children",
	"logs",
	"stop",
	"finished",
]);

/** Undefined for what is no message of a supervisor to its agent. */
export function fromSupervisor(value: object): ToAgent | undefined {
	return isToAgent(value) ? value : undefined;
}

function isToAgent(value: object): value is ToAgent {
	return "say" in value && WORDS.has(value.say);
}
