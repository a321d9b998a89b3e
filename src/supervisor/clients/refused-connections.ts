/** Connections that were closed because of what came over them: each is told in the event log, and its agent is over. */

import { defined } from "../../core/defined.ts";
import { type Ending, ROOT } from "../../core/model/agent.ts";
import { preview } from "../../core/preview.ts";
import type { AgentConnection } from "../run/agent-registry.ts";
import { EventAllowance } from "../run/journal.ts";
import type { RunCore } from "../run/run-core.ts";

const MAX_REASON_CHARS = 200;

export class RefusedConnections {
	private readonly core: RunCore;
	private readonly allowance = new EventAllowance();

	constructor(core: RunCore) {
		this.core = core;
	}

	/** `connection`: of a client that has joined. The process of its agent is ended, too. */
	refused(reason: string, connection: AgentConnection | undefined): void {
		const { core } = this;
		const agent = connection === undefined ? undefined : core.registry.agentOn(connection);
		const at = core.host.now();
		const taken = this.allowance.take(at, agent !== undefined); // that of an agent is always recorded
		const facts = defined({ agent, others: taken?.others });
		if (taken !== undefined)
			core.emit({ event: "client_refused", at, ...facts, reason: preview(reason, MAX_REASON_CHARS) });
		if (agent === undefined) return;
		const ending: Ending = { by: "crashed", reason: `the supervisor closed its connection: ${reason}` };
		if (agent === ROOT) core.stopRun(ending, false);
		else core.dispatch({ is: "gone", agent, ending, cameFirst: !core.state.stops.has(agent) });
	}
}
