/** How a message of the supervisor changes the picture: pure. */

import { type AgentId, isOver } from "../../core/model/agent.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { agentsInOrder, createBatchReduce, type RunState, reduce } from "../../core/run/run-state.ts";
import { overNow } from "../../tui/questions/open-question.ts";
import { withTold } from "../../view/agents/activity.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import { openPane } from "./panes.ts";
import type { Picture } from "./scene/scene.ts";
import { answeringOf, closed, select, type UiState, withAnswering } from "./scene/ui-state.ts";

/** A selection that follows stays so long with an agent that works: the eye needs time when many work. */
const FOLLOW_HOLD_MS = 1_500;

/** `reduceBy`: for messages in a row one that is made for batches. */
export function receive(picture: Picture, message: ToWatcher, reduceBy = reduce): Picture {
	switch (message.say) {
		case "snapshot":
			return withOutcome({ ...picture, run: message.state });
		case "event":
			return afterEvent(picture, message.event, reduceBy);
		case "activity":
			return { ...picture, activity: withTold(picture.activity, message, picture.run) };
		case "delta": // goes to the transcript's reader
		case "recorded":
		case "refused": // answers: see update.ts
		case "stopped":
		case "sent":
		case "paused":
		case "continued":
		case "interrupted":
		case "withdrawn":
		case "todo":
		case "changed":
		case "compacting":
		case "aside_delta":
		case "aside_answer":
		case "context":
		case "named":
		case "talkers":
		case "asked":
		case "answered":
		case "unanswered":
		case "record_copied":
		case "outside_opened":
		case "outside_ended":
		case "answer_taken":
			return picture;
	}
}

/** Agents end with their supervisor, so none is shown as alive after it is gone. */
export function loseRun(picture: Picture, at: number): Picture {
	const alive = agentsInOrder(picture.run).filter((agent) => !isOver(agent));
	const ending = { by: "crashed", reason: "the run's supervisor is gone" } as const;
	const reduceBy = createBatchReduce();
	const run = alive.reduce(
		(state, { id }) => reduceBy(state, { event: "agent_ended", at, agent: id, ending }),
		picture.run,
	);
	return { ...picture, run, isLost: true, ui: runIsOver(picture.ui) };
}

/** A selection that follows goes to the agent that works. */
export function agentWorked(ui: UiState, agent: AgentId, run: RunState, at: number): UiState {
	if (ui.follow.is === "off" || ui.selected === agent) return ui;
	const current = run.agents[ui.selected];
	const isHeld = current !== undefined && !isOver(current) && current.state.is !== "waiting";
	if (isHeld && Math.abs(at - ui.follow.since) < FOLLOW_HOLD_MS) return ui;
	return { ...select(ui, agent), follow: { is: "on", since: at } };
}

/** A question is closed when the run is over. */
export function runIsOver(ui: UiState): UiState {
	return openPane(ui)?.isQuestion ? closed(ui) : ui;
}

function afterEvent(picture: Picture, event: RunEvent, reduceBy: typeof reduce): Picture {
	const next = withOutcome({ ...picture, run: reduceBy(picture.run, event) }, event);
	if (event.event === "run_ended") return { ...next, ui: runIsOver(next.ui) };
	const worked = agentAtWork(event);
	return worked === undefined ? next : { ...next, ui: agentWorked(next.ui, worked, next.run, event.at) };
}

/** A question that a person has turned to may have been answered elsewhere, or nobody waits for it any more. */
function withOutcome(picture: Picture, event?: RunEvent): Picture {
	const before = answeringOf(picture.ui);
	if (before === undefined) return picture;
	const answering = overNow(before, picture.run, event);
	return answering === before ? picture : { ...picture, ui: withAnswering(picture.ui, answering) };
}

function agentAtWork(event: RunEvent): AgentId | undefined {
	const isWork = event.event === "turn_started" || event.event === "command_started";
	return isWork ? event.agent : undefined;
}
