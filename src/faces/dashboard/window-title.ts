/** What the window's title says of a run, for who looks at other windows: pure. */

import { shortRunId } from "../../core/run/run-id.ts";
import { counted } from "../../text/numbers.ts";
import { treeOf } from "../../view/agents/agent-tree.ts";
import type { Picture } from "./scene/scene.ts";

/** `agentree e380 running 9, 2 failed`. Empty while nothing is known of the run. */
export function windowTitle(picture: Pick<Picture, "run" | "isLost" | "isSuspended">): string {
	const { run } = picture;
	if (run.run === "") return "";
	const { failed, paused } = treeOf(run.agents).counts;
	const parts = [stateOf(picture)];
	const { questions = [] } = run;
	if (questions.length > 0) parts.push(counted(questions.length, "question"));
	if (paused > 0) parts.push(`${paused} paused`);
	if (failed > 0) parts.push(`${failed} failed`);
	return `agentree ${shortRunId(run.run)} ${parts.join(", ")}`;
}

function stateOf({ run, isLost, isSuspended }: Pick<Picture, "run" | "isLost" | "isSuspended">): string {
	const { running, thinking, retrying } = treeOf(run.agents).counts;
	if (run.ended !== undefined) return "ended";
	if (isLost) return "lost";
	if (isSuspended === true) return "suspended";
	return `${run.stopping === undefined ? "running" : "stopping"} ${running + thinking + retrying}`;
}

/** What a person is to be told who looks elsewhere: an agent asks them, or the run has ended by itself. Once for each. */
export function noticeOf(before: Picture, after: Picture): string | undefined {
	const isNew = before.run.run !== "" && (after.run.questionsAsked ?? 0) > (before.run.questionsAsked ?? 0);
	if (isNew) return "an agent has a question for you";
	return hasEndedByItself(before, after) ? "the run has ended" : undefined;
}

/** The run has ended by itself: who has ended it, here or elsewhere, knows that. */
function hasEndedByItself(before: Picture, after: Picture): boolean {
	const { ended } = after.run;
	if (ended === undefined || before.run.ended !== undefined || before.run.run === "") return false;
	return after.isStopAsked !== true && ended.ending.by !== "stopped" && ended.ending.by !== "killed";
}
