/** Whether a prompt is so long that a refusal without known words is likely to mean its length. Pure. */
import type { Agent } from "../../core/agent.ts";
import type { ModelRequest } from "../../core/model.ts";
import { windowOf } from "../../models/context-use.ts";

const NEAR = 0.8;
const CHARS_PER_TOKEN = 4;

/** What the service counted for the last prompt and its answer, and about what was said since. */
export function isNearWindow(agent: Agent | undefined, { messages }: Pick<ModelRequest, "messages">): boolean {
	const window = agent && windowOf(agent);
	if (window === undefined) return false;
	const counted = agent?.contextTokens;
	const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
	const fresh = counted === undefined ? messages : messages.slice(lastAnswer + 1);
	const tokens = (counted ?? 0) + JSON.stringify(fresh).length / CHARS_PER_TOKEN;
	return tokens >= NEAR * window;
}
