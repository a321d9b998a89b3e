/** What is said of a call that waits because its service takes no more calls now. Pure. */
import type { RunState } from "../../core/run/run-state.ts";
import { formatElapsed, formatWait } from "../../text/durations.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";

/**
 * `waits for the service 12s: no calls for 33 s: overloaded`; once calls are made again
 * `waits for the service 50s: 2 calls at once: overloaded`.
 */
export function describeHeldCall(slowed: RunState["slowed"], { since, now }: { since: number; now: number }): string {
	const waits = `waits for the service ${formatElapsed(now - since)}`;
	if (slowed === undefined) return waits;
	const { until, maxCalls, reason } = slowed;
	const calls = `${maxCalls} ${maxCalls === 1 ? "call" : "calls"} at once`;
	return `${waits}: ${until > now ? `no calls for ${formatWait(until - now)}` : calls}: ${oneLine(reason)}`;
}
