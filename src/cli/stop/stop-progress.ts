/** The progress of a stop that takes long, as lines on stderr: who is still alive. */
import type { AgentId } from "../../core/model/agent.ts";
import { formatDuration } from "../../text/durations.ts";

// Commands have a grace of 3 s, and agents end within 5.5 s: only a person at a terminal wants to know before.
const FIRST_MS = { terminal: 1_500, other: 6_000 };
const EVERY_MS = 3_000;
const MOST_NAMED = 8;

/** The result is told how long the stop has taken, and gives each line to `say`. */
export function stopProgress(
	what: string,
	{ isTerminal, say }: { isTerminal: boolean; say: (line: string) => void },
): (stoppingMs: number, alive: readonly AgentId[]) => void {
	let nextMs = isTerminal ? FIRST_MS.terminal : FIRST_MS.other;
	return (stoppingMs, alive) => {
		if (stoppingMs < nextMs) return;
		nextMs = stoppingMs + EVERY_MS;
		say(`agent: stopping ${what} for ${formatDuration(stoppingMs)}; still alive: ${named(alive)}`);
	};
}

/** Without agents their processes are what the stop still waits for. */
function named(alive: readonly AgentId[]): string {
	if (alive.length === 0) return "no agent, but some of their processes";
	const more = alive.length > MOST_NAMED ? ` and ${alive.length - MOST_NAMED} more` : "";
	return `${alive.slice(0, MOST_NAMED).join(", ")}${more}`;
}
