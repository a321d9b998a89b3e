/** Connections that were refused, as events: one a second for longer than a moment, so that who floods the socket does not flood the log. */

import type { AgentId } from "../../core/agent.ts";
import { defined } from "../../core/defined.ts";
import { preview } from "../../core/preview.ts";
import type { RunEvent } from "../../core/run-event.ts";

const BURST = 20;
const EVERY_MS = 1_000;
const MAX_REASON_CHARS = 200;

export type ClientRefused = Extract<RunEvent, { event: "client_refused" }>;

export class RefusalLog {
	private left = BURST;
	private at = 0;
	private untold = 0;

	/** The event to record; undefined when there were too many just now: the next one says how many. */
	refused(reason: string, agent: AgentId | undefined, now: number): ClientRefused | undefined {
		const gained = Math.max(0, Math.floor((now - this.at) / EVERY_MS)); // the clock may be set back
		if (gained > 0 || now < this.at) this.at = now;
		this.left = Math.min(BURST, this.left + gained);
		if (this.left === 0 && agent === undefined) {
			this.untold += 1;
			return undefined;
		}
		this.left = Math.max(0, this.left - 1);
		const others = this.untold === 0 ? undefined : this.untold;
		this.untold = 0;
		return {
			event: "client_refused",
			at: now,
			...defined({ agent, others }),
			reason: preview(reason, MAX_REASON_CHARS),
		};
	}
}
