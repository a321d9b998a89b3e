/** How a run ended. */
import { type Agent, type Ending, isOver, ROOT } from "../core/agent.ts";
import { livingAgents, type RunState } from "../core/run-state.ts";
import type { Terminator } from "./processes/terminator.ts";

export interface RunEnd {
	ending: Ending;
	exitCode: number;
	/** Pids of the run that could not be ended. */
	survivors: number[];
	/** With --keep-background: what was left, not ended. */
	leftRunning?: { pid: number; name: string }[];
	/**
	 * What the root said at its end, if it came to that: it has then told the ending on its own stderr, where that is ours,
	 * and `lastWords` are what there is of an answer when the ending is none.
	 */
	rootFinish: { lastWords?: string } | undefined;
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

/** The last look of a run. `keeps`: only agents are ended, what else runs in the background is named and left. */
export async function endWholeRun(
	terminator: Terminator,
	run: RunState,
	{ keeps, graceMs }: { keeps: boolean; graceMs: number },
): Promise<{ survivors: number[]; leftRunning?: { pid: number; name: string }[] }> {
	if (!keeps) return { survivors: (await terminator.end(ROOT, { isGone: true, graceMs })).map(({ pid }) => pid) };
	for (const agent of livingAgents(run)) await terminator.end(agent, { isGone: true, graceMs });
	return { survivors: [], leftRunning: terminator.look(ROOT).map(({ pid, name }) => ({ pid, name })) };
}
