/** What happened to an agent, or to the run, and stands in no message: broken calls, refusals, pauses, stops, shortages. Pure. */
import { type AgentId, ROOT } from "../core/agent.ts";
import type { RunEvent } from "../core/run-event.ts";
import { describeEvent } from "./event-text.ts";

const MOST_OF_AN_AGENT = 200; // a child may be refused again and again

export interface Happening {
	readonly at: number;
	readonly text: string;
	/** Something was refused, or has failed. */
	readonly isTrouble: boolean;
}

export interface Happenings {
	/** In order. */
	readonly list: readonly Happening[];
	/** How many more there were. */
	readonly more: number;
}

export const NO_HAPPENINGS: Happenings = { list: [], more: 0 };

const TROUBLE: ReadonlySet<RunEvent["event"]> = new Set([
	"child_refused",
	"client_refused",
	"turn_failed",
	"turn_refused",
]);

export class HappeningsBuilder {
	private readonly known = new Map<AgentId, { list: Happening[]; more: number }>();

	note(event: RunEvent): void {
		const told = happeningOf(event);
		if (told === undefined) return;
		const happenings = this.known.get(told.agent) ?? { list: [], more: 0 };
		this.known.set(told.agent, happenings);
		if (happenings.list.length >= MOST_OF_AN_AGENT) happenings.more++;
		else happenings.list.push(told.happening);
	}

	build(): ReadonlyMap<AgentId, Happenings> {
		return this.known;
	}
}

/** What the event says, and in whose history it is told; undefined for what is told by messages, turns and commands. */
function happeningOf(event: RunEvent): { agent: AgentId; happening: Happening } | undefined {
	const agent = tellerOf(event);
	if (agent === undefined) return undefined;
	const whose = "agent" in event || "parent" in event ? "" : "run: ";
	const text = `${whose}${describeEvent(event)}`;
	return { agent, happening: { at: event.at, text, isTrouble: TROUBLE.has(event.event) } };
}

/** What happened to the whole run is told by the root's history. */
function tellerOf(event: RunEvent): AgentId | undefined {
	switch (event.event) {
		case "child_refused":
			return event.parent ?? ROOT;
		case "client_refused":
			return event.agent ?? ROOT;
		case "turn_failed":
			return event.purpose === undefined ? undefined : event.agent; // else the turn tells it
		case "turn_queued":
			return event.reason === undefined ? undefined : event.agent;
		case "turn_retrying":
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
		case "turn_started":
		case "turn_ended":
		case "turn_cancelled":
		case "history_compacted":
		case "message_delivered":
		case "command_started":
		case "command_ended":
			return undefined;
	}
}
