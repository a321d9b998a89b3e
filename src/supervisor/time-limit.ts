/** Acts when an agent's `max-time` is over, or so much of it is left. Its time may have stood still meanwhile: then it is looked at once more. */
import type { AgentId } from "../core/agent.ts";
import type { Deadlines } from "./calls/deadlines.ts";
import type { RunTimers } from "./run-timers.ts";

const SLACK_MS = 5; // a timer may ring a moment before its time
const LEAST_WAIT_MS = 100; // time that stands still shortly before its end is not looked at all the time

/** The agent's time has begun. `onOver` is called once, when `keptMs` are left, unless the run's timers end before. */
export function keepTimeLimit(
	agent: AgentId,
	{
		deadlines,
		timers,
		keptMs,
		onOver,
	}: { deadlines: Deadlines; timers: Pick<RunTimers, "after">; keptMs: number; onOver: () => void },
): void {
	const left = () => (deadlines.ownLeft(agent) ?? 0) - keptMs;
	const look = () => {
		const leftMs = left();
		if (leftMs > SLACK_MS) timers.after(Math.max(LEAST_WAIT_MS, leftMs), look);
		else onOver();
	};
	timers.after(Math.max(0, left()), look);
}
