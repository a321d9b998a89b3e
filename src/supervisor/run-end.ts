/** The end of a run: its ending, the last processes, and the steps that close its record. */

import { defined } from "../core/defined.ts";
import { exitCodeOf } from "../core/errors.ts";
import { type Agent, type Ending, isOver, ROOT } from "../core/model/agent.ts";
import { livingAgents } from "../core/run/run-state.ts";
import type { RunEvent } from "../core/schemas/run-event.ts";
import type { RunFile } from "../core/schemas/run-files.ts";
import { sandboxesAmong } from "../processes/table/belonging.ts";
import type { RunLock } from "../record/run-lock.ts";
import type { Machine } from "./processes/machine.ts";
import type { RunCore } from "./run/run-core.ts";
import { endedRunFileOf } from "./run/run-files.ts";
import type { Services } from "./services.ts";

export interface RunEnd {
	ending: Ending;
	exitCode: number;
	/** Pids of the run that could not be ended. */
	survivors: number[];
	/** With --keep-background: what still runs. */
	leftRunning?: { pid: number; name: string }[];
	/**
	 * The root's `finish`, if it sent one: then it has told its ending on its own stderr, where that is the supervisor's, and
	 * `lastWords` are the text so far when the ending is no answer.
	 */
	rootFinish: { lastWords?: string } | undefined;
	/** The supervisor itself could not go on: a bug, or the system has nothing left for it. */
	isAbandoned?: true;
}

/**
 * The root's own ending. When it had none, or a signal ended its process while it printed its answer: the stop that was
 * asked for, or else the ending that its exit tells.
 */
export function endingOfRun(
	root: Agent | undefined,
	{ exit, stopAsked, printsAnswer }: { exit: Ending; stopAsked: Ending | undefined; printsAnswer: boolean },
): Ending {
	const own = root !== undefined && isOver(root) ? root.state.ending : undefined;
	const isAnswerCut = own?.by === "answer" && exit.by === "killed" && printsAnswer;
	return own === undefined || isAnswerCut ? (stopAsked ?? exit) : own;
}

/** Ends all that is left of a run. `keeps`: only the agents; what else runs in the background is named and left. */
export async function endWholeRun(
	{ machine, run }: RunCore,
	{ keeps, isHurry }: { keeps: boolean; isHurry: boolean },
): Promise<{ survivors: number[]; leftRunning?: { pid: number; name: string }[] }> {
	if (!keeps) return { survivors: (await machine.end(ROOT, { includesAgent: true, isHurry })).map(({ pid }) => pid) };
	for (const agent of livingAgents(run)) await machine.end(agent, { includesAgent: true, isHurry });
	const left = machine.processesOf(ROOT);
	const isOfSandbox = sandboxesAmong(left, () => true); // the agents are gone, and who takes their name is only not listed
	return {
		survivors: [],
		leftRunning: left.filter((info) => !isOfSandbox(info)).map(({ pid, name }) => ({ pid, name })),
	};
}

/** What the end of a run needs of the supervisor. */
export interface RunParts
	extends Pick<
		Services,
		"hostProxy" | "calls" | "snapshots" | "held" | "worktrees" | "pipeStock" | "sandboxes" | "personKey"
	> {
	core: RunCore;
	runFile: RunFile;
	lock: RunLock;
	server: { close(): void } | undefined;
	/** Also once the run has ended. */
	emit: (event: RunEvent) => void;
	resolveEnded: (end: RunEnd) => void;
}

/** What is still under way when nothing of the run lives any more, and what is done then alone. */
export async function closeWork(
	{
		calls,
		snapshots,
		worktrees,
		held,
		sandboxes,
	}: Pick<RunParts, "calls" | "snapshots" | "worktrees" | "held" | "sandboxes">,
	{ survivors, leftRunning }: Pick<RunEnd, "survivors" | "leftRunning">,
): Promise<void> {
	await Promise.all([calls.close(), snapshots.close(), worktrees.settleAll(), held.close()]);
	// What is left to run may go unnoticed, and could put a link in the way of what is removed by its path.
	if (survivors.length === 0 && leftRunning === undefined) await sandboxes.empty();
}

/** The steps once nothing of the run lives any more: they close the record, then resolve the run's end. */
export function lastSteps(parts: RunParts, end: RunEnd): (() => void)[] {
	const { ending, exitCode, survivors, leftRunning } = end;
	const left = { survivors, ...defined({ leftRunning }) };
	return [
		() => {
			// Emitted once: after a bug in a later step these steps are run again.
			if (parts.core.run.ended === undefined)
				parts.emit({ event: "run_ended", at: parts.core.host.now(), ending, exitCode, ...left });
		},
		() => parts.core.journal.runFile(endedRunFileOf(parts.runFile, parts.core.run)),
		() => parts.core.machine.close(),
		() => parts.pipeStock.close(),
		() => parts.sandboxes.close(leftRunning !== undefined && leftRunning.length > 0),
		() => parts.core.registry.closeAll(),
		() => parts.server?.close(),
		() => parts.sandboxes.leaveProject(),
		() => parts.hostProxy.close(),
		() => parts.personKey.remove(),
		() => parts.core.journal.close(),
		() => parts.lock.release(),
		() => parts.resolveEnded(end),
	];
}

/** Ends the whole tree without waiting for its agents, then records why. */
export async function endBrokenRun(parts: RunParts, ending: Ending): Promise<void> {
	const { calls, snapshots, held, worktrees, server } = parts;
	const { registry, machine, timers } = parts.core;
	worktrees.close();
	tryEach([() => timers.stop(), () => machine.killRoot(), () => registry.closeAll(), () => server?.close()]);
	const survivors = await endAll(machine);
	await calls.close().catch(() => {});
	await snapshots.close().catch(() => {});
	await held.close().catch(() => {});
	const end: RunEnd = { ending, exitCode: exitCodeOf(ending), survivors, rootFinish: undefined, isAbandoned: true };
	const agents = livingAgents(parts.core.run).map((agent) => () => {
		const own: Ending = agent === ROOT ? ending : { by: "crashed", reason: "its run ended" };
		parts.emit({ event: "agent_ended", at: parts.core.host.now(), agent, ending: own });
	});
	tryEach([...agents, ...lastSteps(parts, end)]);
}

/** Resolves to the pids that survived. When finding processes fails by the same bug, it kills those that are known. */
async function endAll(machine: Machine): Promise<number[]> {
	try {
		return (await machine.end(ROOT, { includesAgent: true, isHurry: false })).map(({ pid }) => pid);
	} catch {
		tryEach([() => machine.killNow(ROOT)]);
		return [];
	}
}

/** Takes all of the steps, whatever one of them throws: an error while a broken run ends says nothing new. */
function tryEach(steps: readonly (() => void)[]): void {
	for (const step of steps) {
		try {
			step();
		} catch {}
	}
}
