/** What the run says, and what it means for the picture: pure. */
import type { AgentId } from "../core/agent.ts";
import { isOver } from "../core/agent.ts";
import type { RunEvent } from "../core/run-event.ts";
import { agentsInOrder, type RunState, reduce } from "../core/run-state.ts";
import type { ToWatcher } from "../protocol/watcher-messages.ts";
import {
	type AgentHistory,
	emptyHistory,
	withCommandEnd,
	withDelta,
	withoutLive,
	withRunning,
} from "./panes/history.ts";
import { agentWorked, runIsOver } from "./ui-state.ts";
import type { Picture } from "./view.ts";

export function receive(picture: Picture, message: ToWatcher): Picture {
	switch (message.say) {
		case "snapshot":
			return withRun(picture, message.state);
		case "event":
			return afterEvent(picture, message.event);
		case "delta": {
			if (message.agent !== picture.history.agent) return picture;
			return { ...picture, history: withDelta(picture.history, message.turn, message.delta) };
		}
		case "recorded": // the transcript itself is followed on disk
		case "stopped": // to who asked for an agent's end; the events tell the rest
			return picture;
	}
}

/** The supervisor is gone, and its agents end with it: none may be shown as alive. */
export function loseRun(picture: Picture, at: number): Picture {
	const alive = agentsInOrder(picture.run).filter((agent) => !isOver(agent));
	const ending = { by: "crashed", reason: "the run's supervisor is gone" } as const;
	const run = alive.reduce(
		(state, { id }) => reduce(state, { event: "agent_ended", at, agent: id, ending }),
		picture.run,
	);
	return { ...withRun(picture, run), isLost: true, ui: runIsOver(picture.ui) };
}

/** The selected agent is the one whose history is shown. */
export function refocus(picture: Picture): Picture {
	const { ui, history, run } = picture;
	return ui.selected === history.agent
		? picture
		: { ...picture, history: knowingCommands(emptyHistory(ui.selected), run) };
}

function afterEvent(picture: Picture, event: RunEvent): Picture {
	const next = withRun(picture, reduce(picture.run, event));
	if (event.event === "run_ended") return { ...next, ui: runIsOver(next.ui) };
	if (event.event === "turn_retrying" && event.agent === next.history.agent)
		return { ...next, history: withoutLive(next.history) };
	if (event.event === "command_ended" && event.agent === next.history.agent)
		return { ...next, history: withCommandEnd(next.history, event) };
	const worked = agentAtWork(event);
	return worked === undefined ? next : { ...next, ui: agentWorked(next.ui, worked, next.run, event.at) };
}

function agentAtWork(event: RunEvent): AgentId | undefined {
	const isWork = event.event === "turn_started" || event.event === "command_started";
	return isWork ? event.agent : undefined;
}

function withRun(picture: Picture, run: RunState): Picture {
	return { ...picture, run, history: knowingCommands(picture.history, run) };
}

function knowingCommands(history: AgentHistory, run: RunState): AgentHistory {
	const agent = run.agents[history.agent];
	return agent === undefined ? history : withRunning(history, agent);
}
