/**
 * The time limits of agents: each is kept from the agent's join on, and a person may change it. Agents are told when most of it is over,
 * and report in what is left at last.
 */

import { limitReached } from "../../core/limits/limits.ts";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import { livingWithin } from "../../core/run/run-state.ts";
import { BUDGET_NOTICE_SHARE } from "../../core/run/spending.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { formatDuration } from "../../text/durations.ts";
import type { Deadlines } from "../calls/deadlines.ts";
import { isTalkedWith } from "../decide/listening.ts";
import { createRunTimers, type RunCore, type RunTimers } from "../run/run-core.ts";
import { timeIsUp } from "./agent-file.ts";

/** What is kept for reports: a call of a model, and that of the agent above. */
const REPORT_SHARE = 0.15;
const MOST_REPORT_MS = 60_000;
const LOOKS = 20;
const LEAST_LOOK_MS = 20;
const SLACK_MS = 5; // a timer may ring a moment before its time
const LEAST_WAIT_MS = 100; // time that stands still shortly before its end is not looked at all the time

function reportTime(maxTimeMs: number): number {
	return Math.min(MOST_REPORT_MS, maxTimeMs * REPORT_SHARE);
}

export class TimeLimits {
	private readonly core: RunCore;
	private readonly deadlines: Deadlines;
	/** What is to happen in the time of each agent that lives, and of the root, which ends with its process. */
	private readonly timers = new Map<AgentId, RunTimers>();

	constructor(core: RunCore, deadlines: Deadlines) {
		this.core = core;
		this.deadlines = deadlines;
	}

	/** The agent's time begins now. */
	begin(id: AgentId): void {
		this.deadlines.begin(id, this.mostOf(id));
		this.keep(id);
	}

	/** The agent's limit is another one now; the time that it has had counts. */
	change(id: AgentId): void {
		this.deadlines.change(id, this.mostOf(id));
		this.keep(id);
	}

	/** Forgets an agent that has ended. */
	event(event: RunEvent): void {
		if (event.event !== "agent_ended" || event.agent === ROOT) return;
		this.timers.get(event.agent)?.stop();
		this.timers.delete(event.agent);
		this.deadlines.forget(event.agent);
	}

	/** The newest limit counts. */
	private keep(id: AgentId): void {
		this.timers.get(id)?.stop();
		const timers = createRunTimers(this.core.timers);
		this.timers.set(id, timers);
		const most = this.mostOf(id);
		const at = (keptMs: number, then: () => void) => this.whenLeft({ id, timers }, keptMs, then);
		at(0, () => this.stop(id));
		at(most * (1 - BUDGET_NOTICE_SHARE), () => this.notice(id));
		at(reportTime(most), () => this.askReports(id, timers));
	}

	private stop(id: AgentId): void {
		const ending = timeIsUp(id, this.mostOf(id));
		if (id === ROOT) this.core.stopRun(ending, false);
		else this.core.dispatch({ is: "stop_asked", agent: id, ending });
	}

	private notice(id: AgentId): void {
		const [most, left] = [this.mostOf(id), this.deadlines.ownLeft(id) ?? 0].map(formatDuration);
		const reason = `most of the time is used (max-time ${most} for agent ${id} and all below it): ${left} left`;
		for (const agent of this.reporting(id)) this.core.dispatch({ is: "time_noticed", agent, reason });
	}

	/** Those without living children first, so that an agent has the reports of its children; at half of the time all others. */
	private askReports(id: AgentId, timers: RunTimers): void {
		const { core, deadlines } = this;
		const most = this.mostOf(id);
		const reached = limitReached("maxTimeMs", { most, holder: id });
		const isLate = (deadlines.ownLeft(id) ?? 0) <= reportTime(most) / 2;
		const { run } = core;
		for (const agent of this.reporting(id))
			if (isLate || branchOf(run.agents, agent).livingChildren.size === 0)
				core.dispatch({ is: "time_short", agent, reached, holder: id });
		if (isLate || this.timers.get(id) !== timers || this.reporting(id).length === 0) return;
		timers.after(Math.max(LEAST_LOOK_MS, reportTime(most) / LOOKS), () => this.askReports(id, timers));
	}

	/** Those at and below the agent that work on. A conversation ends otherwise: its person says how it goes on. */
	private reporting(id: AgentId): AgentId[] {
		const { run, outOfTime, stops } = this.core.state;
		return livingWithin(run, id).filter(
			(agent) => !outOfTime.has(agent) && !stops.has(agent) && !isTalkedWith(run, agent),
		);
	}

	private mostOf(id: AgentId): number {
		return this.core.run.agents[id]?.limits.maxTimeMs ?? 0;
	}

	/** Acts once when so much of an agent's time is left. Its time may have stood still meanwhile: then it is looked at once more. */
	private whenLeft({ id, timers }: { id: AgentId; timers: RunTimers }, keptMs: number, then: () => void): void {
		const left = () => (this.deadlines.ownLeft(id) ?? 0) - keptMs;
		const look = () => {
			const leftMs = left();
			if (leftMs > SLACK_MS) timers.after(Math.max(LEAST_WAIT_MS, leftMs), look);
			else then();
		};
		timers.after(Math.max(0, left()), look);
	}
}
