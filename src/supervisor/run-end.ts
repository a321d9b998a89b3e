/** How a run ended. */
import { type Agent, type Ending, isOver } from "../core/agent.ts";

export interface RunEnd {
	ending: Ending;
	exitCode: number;
	/** Pids of the run that could not be ended. */
	survivors: number[];
	/** With --keep-background: what was left, not ended. */
	leftRunning: { pid: number; name: string }[];
	/** The root said how it ended, on its own stderr where that is ours. */
	hasRootSpoken: boolean;
}

/**
 * The root's own ending, unless it had none, or a signal ended its process while it still printed its answer: then the
 * stop that was asked for, or else what the exit itself tells.
 */
export function endingOfRun(
	root: Agent | undefined,
	{ exit, stopAsked, printsAnswer }: { exit: Ending; stopAsked: Ending | undefined; printsAnswer: boolean },
): Ending {
	const own = root !== undefined && isOver(root) ? root.state.ending : undefined;
	const isAnswerCut = own?.by === "answer" && exit.by === "killed" && printsAnswer;
	return own === undefined || isAnswerCut ? (stopAsked ?? exit) : own;
}
