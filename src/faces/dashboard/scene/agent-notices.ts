/** What the events of one agent, and those of the agents above it that concern it, tell of its history. Pure. */
import { type AgentId, isWithin, ROOT } from "../../../core/model/agent.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import { type AgentNotices, AgentNoticesBuilder, isForAllBelow } from "../../../view/events/agent-notices.ts";
import type { AgentTimeline } from "../../../view/timeline.ts";
import { TimelineBuilder } from "../../../view/timeline-builder.ts";

/** Whether the event is told in the history of the agent. */
export function concerns(event: RunEvent, agent: AgentId): boolean {
	if (event.event === "child_refused") return event.parent === agent;
	if (!("agent" in event) || event.agent === undefined) return agent === ROOT || event.event === "run_resumed";
	return event.agent === agent || (isForAllBelow(event) && isWithin(agent, event.agent));
}

/**
 * The turns and commands of the agent, which has ended at `endedAt`, if it has. What is open stays open: nothing here depends
 * on the present time.
 */
export function timelineOf(happened: readonly RunEvent[], agent: AgentId, endedAt: number | undefined): AgentTimeline {
	const builder = new TimelineBuilder();
	let lastAt = 0;
	for (const event of happened) {
		if (event.event === "run_resumed") builder.ended(lastAt);
		else if ("agent" in event && event.agent === agent) take(builder, event);
		lastAt = event.at;
	}
	if (endedAt !== undefined) builder.ended(endedAt);
	return builder.build(lastAt);
}

function take(builder: TimelineBuilder, event: RunEvent): void {
	switch (event.event) {
		case "agent_joined":
		case "agent_resumed":
		case "turn_queued":
			return builder.queued(event.at);
		case "agent_ended":
			return builder.ended(event.at);
		case "turn_started":
		case "turn_retrying":
		case "turn_ended":
		case "turn_failed":
		case "turn_cancelled":
			return builder.turn(event);
		case "command_started":
		case "command_ended":
			return builder.command(event);
		default:
			return;
	}
}

/** In order; what happened to an agent above is told of that agent. */
export function agentNoticesOf(happened: readonly RunEvent[], agent: AgentId): AgentNotices {
	const builder = new AgentNoticesBuilder();
	for (const event of happened) builder.note(event);
	return builder.of(agent);
}
