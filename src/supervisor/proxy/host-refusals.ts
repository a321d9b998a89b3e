/** Hosts that were refused, as events. An agent that tries without an end fills no log: after a while it has one a second. */

import { defined } from "../../core/defined.ts";
import type { HostAndPort } from "../../core/machine/host-pattern.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { EventAllowance } from "../record/event-allowance.ts";

export class HostRefusals {
	private readonly allowances = new Map<AgentId, EventAllowance>();

	/** The event to record; undefined when there were too many just now: a later one says how many. */
	refused(
		agent: AgentId,
		{ host, port }: HostAndPort,
		{ reason, at }: { reason: string; at: number },
	): RunEvent | undefined {
		const allowance = this.allowances.get(agent) ?? new EventAllowance();
		this.allowances.set(agent, allowance);
		const taken = allowance.take(at);
		if (taken === undefined) return undefined;
		return { event: "host_refused", at, agent, host, port, reason, ...defined({ others: taken.others }) };
	}
}
