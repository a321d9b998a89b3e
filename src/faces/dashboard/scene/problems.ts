/** Agents that somebody should look at: they have failed, may be stuck, or make a call again. Pure. */
import { type Agent, hasFailed } from "../../../core/model/agent.ts";
import { formatDuration } from "../../../text/durations.ts";
import { cleanText, firstLine } from "../../../text/safe/terminal-safe.ts";
import { isSilent, quietSince } from "./activity.ts";
import { doingNow, type Told } from "./doing-now.ts";

/** What is wrong with the agent, in a few words; undefined when nothing is. */
export function problemOf(agent: Agent, told: Told): string | undefined {
	const { state } = agent;
	if (hasFailed(agent)) return doingNow(agent, told).text;
	if (state.is === "thinking" && state.retry !== undefined)
		return `makes a call again: ${firstLine(cleanText(state.retry.reason))}`;
	if (!isSilent(agent, told.activity, told.now)) return undefined;
	return `silent for ${formatDuration(told.now - (quietSince(agent, told.activity) ?? told.now))}`;
}
