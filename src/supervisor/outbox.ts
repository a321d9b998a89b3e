/** What agents are told, with what only the parts of a supervisor know, and when. */
import type { AgentId } from "../core/agent.ts";
import { GRACE_MS } from "../processes/end-processes.ts";
import type { Roster } from "./agent-registry.ts";
import type { ModelCalls } from "./calls/model-calls.ts";
import type { Effect, SupervisorState, Told } from "./decide/input.ts";
import type { Reaper } from "./processes/terminator.ts";
import type { RunRecord } from "./record/journal.ts";

export interface TellerFacts {
	roster: Pick<Roster, "send">;
	record: Pick<RunRecord, "isBroken">;
	calls: Pick<ModelCalls, "partialText">;
	reaper: Pick<Reaper, "reap">;
	keepsBackground: boolean;
	stops: () => SupervisorState["stops"];
}

export class Teller {
	private readonly facts: TellerFacts;

	constructor(facts: TellerFacts) {
		this.facts = facts;
	}

	tell(agent: AgentId, message: Told): void {
		const { record, roster, calls, stops } = this.facts;
		// What could not be written down must not look done: the stop that follows says why.
		const isStopping = stops()[agent] !== undefined;
		if (record.isBroken && !isStopping && (message.say === "answer" || message.say === "finished")) return;
		const hasPartial = message.say === "stop" || message.say === "ask_failed" || message.say === "ask_refused";
		roster.send(agent, hasPartial ? { ...message, partial: calls.partialText(agent) } : message);
	}

	/**
	 * An agent that has finished waits until nothing that it left lives: while it waits it would end it itself, should we
	 * die. One that was told to stop does not wait: its time is short, and the end of the stop looks again.
	 */
	reap({ agent, isGone }: Extract<Effect, { do: "reap" }>): void {
		const { reaper, keepsBackground, stops } = this.facts;
		const isSpared = !isGone && keepsBackground && stops()[agent] === undefined;
		const reaped = isSpared ? Promise.resolve() : reaper.reap(agent, { isGone, graceMs: GRACE_MS });
		if (isGone) return;
		const finished = () => this.tell(agent, { say: "finished" });
		if (stops()[agent] === undefined) void reaped.then(finished);
		else finished();
	}
}
