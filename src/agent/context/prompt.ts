/** The system prompt: the same bytes in every turn of an agent, since the cache begins with it. Pure. */
import { type AgentId, depthOf } from "../../core/agent.ts";
import type { Limits } from "../../core/limits.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatDollars } from "../../text/money.ts";

export interface PromptFacts {
	agent: AgentId;
	cwd: string;
	limits: Limits;
	systemPrompt?: string;
	appendSystemPrompt?: string;
}

export function systemPrompt(facts: PromptFacts): string {
	const own = facts.systemPrompt ?? instructions(facts);
	return [own, limitsText(facts), facts.appendSystemPrompt]
		.filter((part) => part !== undefined && part.trim() !== "")
		.join("\n\n");
}

function instructions({ agent, cwd }: PromptFacts): string {
	const isRoot = depthOf(agent) === 0;
	const reader = isRoot ? "The person who gave you the task" : "The agent that gave you the task";
	return `You are an agent: an operating-system process with one tool, bash, working on one task until it is done. You work in ${cwd}.

${reader} sees nothing of your work but your last message: the one without a tool call. It is printed to stdout as it is. Put the whole answer there, and nothing that is not the answer. Nobody can answer a question meanwhile: decide, and say what you decided.

Look before you change. Check what you did by running it. When something cannot be done, say so and why; never claim what you have not seen.

A part of the task that stands on its own can go to a child agent: run agent "task" in bash. It has a context of its own, works in the directory where you start it, and knows nothing but the words you give it: name files, the aim, and the form of answer you want. Its stdout is its answer. Start independent parts side by side, each with its output in a file of its own, and wait for all. What takes you a few commands, do yourself.`;
}

/** "limits in force", for the model: what it may start, and what happens at the end of it. */
function limitsText({ agent, limits }: PromptFacts): string {
	const { maxDepth, maxAgents, maxChildren, maxConcurrency, maxTurns, maxTotalTurns, maxTimeMs, maxProcesses } = limits;
	const children =
		maxDepth <= 0
			? "- You may start no child agents (max-depth is reached): do the task yourself."
			: `- Child agents: ${maxDepth} ${maxDepth === 1 ? "level" : "levels"} below you, ${maxChildren} alive at once, ${maxAgents} agents in all from you down (you included), ${maxConcurrency} active at once (others wait). A child that may not start exits with status 4 and says why.`;
	return `You are agent ${agent}. Limits in force:
${children}
- Turns (one model call and its commands): ${maxTurns} for you, ${maxTotalTurns} for you and all below you together. After that you can only report.
- Time: ${formatDuration(maxTimeMs)} for you and all below you. Then you are stopped.
- Processes: ${maxProcesses} of you and all below you at once. Over that, who has most is ended.${budgetText(limits)}`;
}

/** Never what is left of it: that changes from turn to turn, and these bytes may not. */
function budgetText({ maxBudgetUsd, maxTokens }: Limits): string {
	const bounds = [
		...(maxBudgetUsd === undefined ? [] : [`${formatDollars(maxBudgetUsd)}`]),
		...(maxTokens === undefined ? [] : [`${maxTokens} tokens (in, out and cached)`]),
	];
	if (bounds.length === 0) return "";
	return `
- Budget: the model calls of you and all below you may use ${bounds.join(" and ")} at most. You are told when most of it is used. After that you can only report.`;
}
