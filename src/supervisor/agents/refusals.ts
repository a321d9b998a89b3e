/** Connections that were closed because of what came over them: each is told in the event log, and its agent is over. */

import { defined } from "../../core/defined.ts";
import { type AgentId, type Ending, ROOT } from "../../core/model/agent.ts";
import { preview } from "../../core/preview.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import type { AgentConnection } from "../run/agent-registry.ts";
import { EventAllowance } from "../run/journal.ts";
import type { RunCore } from "../run/run-core.ts";

export class Refusals {
	private readonly core: RunCore;
	private readonly log = new RefusalLog();

	constructor(core: RunCore) {
		this.core = core;
	}

	/** `connection`: of a client that has joined. The process of its agent is ended, too. */
	refused(reason: string, connection: AgentConnection | undefined): void {
		const { core } = this;
		const agent = connection === undefined ? undefined : core.registry.agentOn(connection);
		const event = this.log.refused(reason, agent, core.host.now());
		if (event !== undefined) core.emit(event);
		if (agent === undefined) return;
		const ending: Ending = { by: "crashed", reason: `the supervisor closed its connection: ${reason}` };
		if (agent === ROOT) core.stopRun(ending, false);
		else core.dispatch({ is: "gone", agent, ending, cameFirst: !core.state.stops.has(agent) });
	}
}

/** Connections that were refused, as events. */

const MAX_REASON_CHARS = 200;

type ClientRefused = Extract<RunEvent, { event: "client_refused" }>;

export class RefusalLog {
	private readonly allowance = new EventAllowance();

	/** The event to record; undefined when there were too many just now: the next one says how many. That of an agent is always recorded. */
	refused(reason: string, agent: AgentId | undefined, now: number): ClientRefused | undefined {
		const taken = this.allowance.take(now, agent !== undefined);
		if (taken === undefined) return undefined;
		return {
			event: "client_refused",
			at: now,
			...defined({ agent, others: taken.others }),
			reason: preview(reason, MAX_REASON_CHARS),
		};
	}
}
