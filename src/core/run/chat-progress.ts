/**
 * What is known of the root of a conversation alone: its turns since a person has said something, the newest state of its files,
 * and the time that it has worked, which stands still while it listens or is paused. Pure.
 */
import { defined } from "../defined.ts";
import type { RunEvent } from "../schemas/run-event.ts";
import type { Agent } from "../schemas/run-state.ts";

type Talked = NonNullable<Agent["talked"]>;

const BEGINNING: Talked = { turnsBefore: 0, workedMs: 0 };

/** The root after an event that has changed it; `before`: as it was, if it was there. */
export function afterTalk(before: Agent | undefined, after: Agent, event: RunEvent): Agent {
	const talked = timed(counted(before, after, event), after, event.at);
	return talked === after.talked ? after : { ...after, talked };
}

function counted(before: Agent | undefined, { turns, talked = BEGINNING }: Agent, event: RunEvent): Talked {
	switch (event.event) {
		case "agent_joined":
			return BEGINNING;
		case "agent_resumed":
			return { ...BEGINNING, turnsBefore: turns, ...defined({ keptTree: talked.keptTree }) };
		case "tree_kept":
			return { ...talked, keptTree: event.id };
		case "message_delivered": {
			const delivered = before?.messages?.slice(0, event.messages) ?? [];
			return delivered.some(({ from }) => from === null) ? { ...talked, turnsBefore: turns } : talked;
		}
		default:
			return talked;
	}
}

function timed(talked: Talked, { state, paused }: Agent, at: number): Talked {
	const stands = paused !== undefined || state.is === "listening" || state.is === "ended";
	const { workingSince, ...rest } = talked;
	if (!stands) return workingSince === undefined ? { ...rest, workingSince: at } : talked;
	return workingSince === undefined ? talked : { ...rest, workedMs: rest.workedMs + Math.max(0, at - workingSince) };
}

/** The turns that `max-turns` counts: in a conversation those since the newest message of a person. */
export function turnsTaken({ turns, talked }: Pick<Agent, "turns" | "talked">): number {
	return turns - (talked?.turnsBefore ?? 0);
}

/** The time of the root of a conversation that `max-time` counts; 0 for any other agent. */
export function workedMs({ talked = BEGINNING }: Pick<Agent, "talked">, now: number): number {
	const { workedMs: before, workingSince } = talked;
	return before + (workingSince === undefined ? 0 : Math.max(0, now - workingSince));
}
