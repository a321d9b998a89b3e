/** What no single event tells: how long something took that ends with it, and what an agent has spent by its end. Pure. */
import type { AgentId } from "../../core/model/agent.ts";
import { addDollars } from "../../core/model/usage.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";

export interface EventFacts {
	/** From the event that began it, in milliseconds; absent where that is not known. */
	readonly tookMs?: number;
	/** Of an agent that ends, since it joined or was resumed; null where a price is not known. */
	readonly spent?: { readonly turns: number; readonly costUsd: number | null };
}

interface Open {
	readonly joinedAt: number;
	readonly commands: Map<number, number>;
	queuedAt?: number | undefined;
	turnAt?: number | undefined;
	turns: number;
	costUsd: number | null;
}

type TurnEvent = Extract<RunEvent, { event: `turn_${string}` }>;

/** Takes all events of a run in order. */
export class EventFactsBuilder {
	private readonly agents = new Map<AgentId, Open>();
	private runAt: number | undefined;

	/** The facts that go with the event. */
	note(event: RunEvent): EventFacts {
		if (event.event === "run_started" || event.event === "run_resumed") this.runAt = event.at;
		if (event.event === "run_ended") return took(this.runAt, event.at);
		if (event.event === "agent_joined" || event.event === "agent_resumed") this.begin(event);
		const open = "agent" in event && event.agent !== undefined ? this.agents.get(event.agent) : undefined;
		if (open === undefined) return {};
		if ("costUsd" in event) open.costUsd = addDollars(open.costUsd, event.costUsd);
		if (event.event === "command_started") open.commands.set(event.command, event.at);
		if (event.event === "command_ended") return took(taken(open.commands, event.command), event.at);
		if (event.event === "agent_ended") return this.end(event, open);
		return isOfTurn(event) ? turnFacts(event, open) : {};
	}

	private begin({ agent, at }: { readonly agent: AgentId; readonly at: number }): void {
		this.agents.set(agent, { joinedAt: at, commands: new Map(), turns: 0, costUsd: 0 });
	}

	private end({ agent, at }: { readonly agent: AgentId; readonly at: number }, open: Open): EventFacts {
		this.agents.delete(agent);
		const { turns, costUsd, joinedAt } = open;
		return { ...took(joinedAt, at), spent: { turns, costUsd } };
	}
}

function isOfTurn(event: RunEvent): event is TurnEvent {
	return event.event.startsWith("turn_");
}

/** A turn that starts tells how long the agent has waited for its slot. */
function turnFacts(event: TurnEvent, open: Open): EventFacts {
	switch (event.event) {
		case "turn_queued":
			open.queuedAt = event.at;
			return {};
		case "turn_started": {
			const { queuedAt } = open;
			open.queuedAt = undefined;
			open.turnAt = event.at;
			if (event.purpose === undefined) open.turns++;
			return took(queuedAt, event.at);
		}
		case "turn_ended":
		case "turn_failed":
		case "turn_cancelled": {
			const { turnAt } = open;
			open.turnAt = undefined;
			return took(turnAt, event.at);
		}
		case "turn_retrying":
		case "turn_refused":
			return {};
	}
}

/** The system's time may have been set back meanwhile. */
function took(from: number | undefined, to: number): EventFacts {
	return from === undefined ? {} : { tookMs: Math.max(0, to - from) };
}

function taken(times: Map<number, number>, key: number): number | undefined {
	const time = times.get(key);
	times.delete(key);
	return time;
}
