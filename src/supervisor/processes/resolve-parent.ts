/**
 * Finds the parent of a process that asks to join: the agent that the process belongs to. The request decides nothing of
 * that: no depth, no token. The command that it names counts only where the process's place shows none, and while that is
 * running. A process in another run's cgroup is refused.
 */

import { defined } from "../../core/defined.ts";
import { JOINING_NAME } from "../../core/machine/joining-name.ts";
import { type AgentId, isOver, ROOT } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { withAncestorsOf } from "../../processes/table/ancestors.ts";
import type { ProcessInfo } from "../../processes/table/process-table.ts";
import type { Join } from "../../wire/agent-messages.ts";
import type { ResolvedParent } from "../decide/input.ts";
import { UNSEEN, type WhoseIsDeps, whoseIs } from "./whose-is.ts";

export const UNSEEN_PARENT: ResolvedParent = { is: "unknown", reason: UNSEEN.reason };

export interface ResolveParentDeps extends Omit<WhoseIsDeps, "run"> {
	readonly run: RunState;
	/** The pid of the root agent that the supervisor has started; undefined once that has joined. */
	readonly rootPid: number | undefined;
	/** A process's name; undefined where the system does not tell. */
	readonly nameOf: (pid: number) => string | undefined;
}

/** Root, child or unknown; the reason of an unknown one is told to the process. */
export function resolveParent(join: Join, deps: ResolveParentDeps): ResolvedParent {
	const { run, rootPid, processes, nameOf } = deps;
	const found = whoseIs(join, { ...deps, run: run.run });
	if (found.is === "gone") return unknown(found.reason);
	const { pid, startTime } = found.info;
	const root = run.agents[ROOT];
	if (pid === rootPid && (root === undefined || isOver(root))) return { is: "root", pid, startTime };
	if (processes.isAgent(found.info)) return unknown("it is an agent of this run already");
	if (found.is === "outside") return unknown(found.reason);
	if ((nameOf(pid) ?? JOINING_NAME) !== JOINING_NAME) return unknown("its process does not say that it joins");
	const { agent: parent, info } = found;
	return { is: "child", parent, pid, startTime, ...defined({ command: commandOf(info, { parent, join }, deps) }) };
}

function unknown(reason: string): ResolvedParent {
	return { is: "unknown", reason };
}

/**
 * The parent's command that the process belongs to, by ancestry or session; else the one that it claims, if that is
 * running.
 */
function commandOf(
	self: ProcessInfo,
	{ parent, join }: { parent: AgentId; join: Join },
	{ look, run, processes }: ResolveParentDeps,
): number | undefined {
	const found = processes.commandOn(withAncestorsOf(self, look), parent, look);
	if (found !== undefined) return found;
	const agent = run.agents[parent];
	const isRunning =
		agent !== undefined && !isOver(agent) && agent.running.some(({ command }) => command === join.command);
	return isRunning ? join.command : undefined;
}
