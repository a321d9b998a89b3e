/** What happened to an agent, or to the run, and stands in no message: broken calls, refusals, stops, shortages. Pure. */
import { type AgentId, ROOT } from "../../core/agent.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { describeEvent } from "../../events/event-text.ts";

const MOST_OF_AN_AGENT = 200; // a child may be refused again and again

export interface Happening {
	readonly at: number;
	readonly text: string;
}

export interface Happenings {
	/** In order. */
	readonly list: readonly Happening[];
	/** How many more there were. */
	readonly more: number;
}

export class HappeningsBuilder {
	private readonly known = new Map<AgentId, { list: Happening[]; more: number }>();

	note(event: RunEvent): void {
		const agent = subjectOf(event);
		if (agent === undefined) return;
		const happenings = this.known.get(agent) ?? { list: [], more: 0 };
		this.known.set(agent, happenings);
		const whose = "agent" in event || "parent" in event ? "" : "run: ";
		if (happenings.list.length >= MOST_OF_AN_AGENT) happenings.more++;
		else happenings.list.push({ at: event.at, text: `${whose}${describeEvent(event)}` });
	}

	build(): ReadonlyMap<AgentId, Happenings> {
		return this.known;
	}
}

/** Whose history tells the event: what happened to the whole run is told by the root's. Undefined for what is told elsewhere. */
function subjectOf(event: RunEvent): AgentId | undefined {
	switch (event.event) {
		case "child_refused":
			return event.parent ?? ROOT;
		case "client_refused":
			return event.agent ?? ROOT;
		case "turn_retrying":
		case "turn_failed":
		case "turn_cancelled":
		case "turn_refused":
		case "budget_noticed":
		case "agent_repeats":
		case "agent_stopping":
		case "message_sent":
		case "agent_paused":
		case "agent_continued":
			return event.agent;
		case "calls_slowed":
		case "shortage_began":
		case "shortage_ended":
		case "run_stopping":
		case "run_resumed":
			return ROOT;
		case "run_started":
		case "run_ended":
		case "agent_joined":
		case "agent_resumed":
		case "agent_ended":
		case "turn_queued":
		case "turn_started":
		case "turn_ended":
		case "history_compacted":
		case "message_delivered":
		case "command_started":
		case "command_ended":
			return undefined;
	}
}
