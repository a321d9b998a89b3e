/** Connections that were refused, as events. */

import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { preview } from "../../core/preview.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { EventAllowance } from "../record/event-allowance.ts";

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
