/** What agents are told, with what only the parts of a supervisor know, and when. */
import type { AgentId } from "../core/agent.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import type { ModelCalls } from "./calls/model-calls.ts";
import type { Effect, Told } from "./decide/effect.ts";
import type { SupervisorState } from "./decide/supervisor-state.ts";
import type { Machine } from "./processes/machine.ts";
import type { Journal } from "./record/journal.ts";

export interface OutboxDeps {
	registry: Pick<AgentRegistry, "send">;
	journal: Pick<Journal, "isBroken">;
	calls: Pick<ModelCalls, "partialText">;
	machine: Pick<Machine, "end">;
	keepsBackground: boolean;
	stops: () => SupervisorState["stops"];
}

export class Outbox {
	private readonly facts: OutboxDeps;

	constructor(facts: OutboxDeps) {
		this.facts = facts;
	}

	tell(agent: AgentId, message: Told): void {
		const { journal, registry, calls, stops } = this.facts;
		// What could not be written down must not look done: the stop that follows says why.
		const isStopping = stops().has(agent);
		if (journal.isBroken && !isStopping && (message.say === "answer" || message.say === "finished")) return;
		const hasPartial = message.say === "stop" || message.say === "ask_failed" || message.say === "ask_refused";
		registry.send(agent, hasPartial ? { ...message, partial: calls.partialText(agent) } : message);
	}

	/**
	 * An agent that has finished waits until nothing that it left lives: while it waits it would end it itself, should we
	 * die. One that was told to stop does not wait: its time is short, and the end of the stop looks again.
	 */
	end({ agent, isGone }: Extract<Effect, { do: "end" }>): void {
		const { machine, keepsBackground, stops } = this.facts;
		const isSpared = !isGone && keepsBackground && !stops().has(agent);
		const endedAgent = isSpared ? Promise.resolve() : machine.end(agent, { isGone, isHurry: false });
		if (isGone) return;
		const finished = () => this.tell(agent, { say: "finished" });
		if (!stops().has(agent)) void endedAgent.then(finished);
		else finished();
	}
}
