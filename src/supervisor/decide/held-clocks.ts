/** Clocks that stand still: those of an agent that is paused or asks a person, and the time of all above one that asks. Pure. */
import type { AgentId } from "../../core/agent.ts";
import { pauseOf } from "../../core/pause.ts";
import { asksWithin } from "../../core/questions.ts";
import type { RunState } from "../../core/run-state.ts";
import type { Decision } from "./decision.ts";

/** Whether the time of the agent's own limit stands still, whatever else holds it. */
export function isTimeHeld(run: RunState, agent: AgentId): boolean {
	return pauseOf(run.agents[agent]) !== undefined || asksWithin(run, agent);
}

/** After a change: the time of each holder, and the clocks of the agent's commands, stand still or go on as the run has it now. */
export function holdClocks({ state, effects }: Decision, agent: AgentId, holders: readonly AgentId[] = [agent]): void {
	const { agents } = state.run;
	for (const holder of holders) {
		const isListening = agents[holder]?.state.is === "listening"; // its time stands still anyway
		effects.push({ do: "hold_time", agent: holder, isHeld: isListening || isTimeHeld(state.run, holder) });
	}
	const isPaused = pauseOf(agents[agent]) !== undefined || agents[agent]?.asking !== undefined;
	effects.push({ do: "tell", agent, message: { say: "pause", isPaused } });
}
