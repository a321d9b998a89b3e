/** An agent as it is when it has ended, with what matters of its end to how it goes on when it is resumed. Pure. */
import type { Agent } from "./agent.ts";
import type { RunEvent } from "./run-event.ts";
import { isInTurn } from "./turn-state.ts";

export function endedAgent(
	{ outside: _, ...agent }: Agent,
	{ at, ending }: Extract<RunEvent, { event: "agent_ended" }>,
): Agent {
	return {
		...agent,
		state: { is: "ended", at, ending },
		running: [],
		...(isInTurn(agent) && { isUnanswered: true }),
		...(agent.state.is === "listening" && { hadListened: true }),
	};
}
