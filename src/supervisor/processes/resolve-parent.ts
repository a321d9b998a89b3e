/**
 * Finds the parent of a process that asks to join: by the rule of belonging.ts without cookies, then by the token that it
 * sends, then by its cookie. Its cgroup, where there is one, bounds the result. A depth that it claims is never asked for. A
 * process in another run's cgroup is refused, whatever token it sends, and so is one of another pid namespace: the pid that
 * it tells would be a stranger's process here.
 */
import { type AgentId, isOver, ROOT } from "../../core/agent.ts";
import { defined } from "../../core/defined.ts";
import type { RunState } from "../../core/run-state.ts";
import { boundByCgroup } from "../../processes/belonging.ts";
import type { Look, ProcessInfo } from "../../processes/process-table.ts";
import { isOtherStart } from "../../processes/start-time.ts";
import type { Join } from "../../protocol/agent-messages.ts";
import type { ResolvedParent } from "../decide/input.ts";
import type { RunProcesses } from "./run-processes.ts";

const MAX_ANCESTORS = 4096;
const OTHER_NAMESPACE =
	"it is in another pid namespace than its run (docker, unshare --pid), where it could neither be seen nor ended; start the agent outside of it, and let it use docker or unshare in its commands";

export interface ResolveParentDeps {
	readonly look: Look;
	readonly run: RunState;
	readonly processes: RunProcesses;
	/** That of the supervisor. */
	readonly pidNamespace: string | null;
	/** The pid of the root agent that the supervisor has started. */
	readonly rootPid: number | undefined;
	readonly agentOfToken: (token: string) => AgentId | undefined;
	/** The run and the agent in whose cgroup a process is. */
	readonly cgroupOf: (pid: number) => { readonly run: string; readonly agent: AgentId } | undefined;
}

/** Root, child or unknown; the reason of an unknown one is told to the process. */
export function resolveParent(join: Join, deps: ResolveParentDeps): ResolvedParent {
	const { look, run, rootPid, processes } = deps;
	if (join.pidNamespace !== deps.pidNamespace) return unknown(OTHER_NAMESPACE);
	if (join.pid <= 1) return unknown(`the process with pid ${join.pid} of a system is never an agent`);
	const self = look.read(join.pid);
	if (self === undefined)
		return unknown(
			`its process (pid ${join.pid}) is not visible to the supervisor; start agents in the supervisor's pid namespace`,
		);
	const { startTime } = self;
	if (join.startTime !== undefined && isOtherStart(join.startTime, startTime))
		return unknown(`pid ${join.pid} is another process, which started at another time`);
	const root = run.agents[ROOT];
	if (join.pid === rootPid && (root === undefined || isOver(root))) return { is: "root", startTime };
	if (processes.isAgent(self)) return unknown("it is an agent of this run already");
	const cgroup = deps.cgroupOf(join.pid);
	if (cgroup !== undefined && cgroup.run !== run.run) return unknown(`it belongs to run ${cgroup.run}`);
	const parent = boundByCgroup(processes.nearestKnown(cgroup?.agent), ownerOf(self, join, deps));
	if (parent === undefined) return unknown("it is not below any agent of this run");
	return { is: "child", parent, startTime, ...defined({ command: commandOf(self, { parent, join }, deps) }) };
}

function unknown(reason: string): ResolvedParent {
	return { is: "unknown", reason };
}

function ownerOf(self: ProcessInfo, join: Join, { look, processes, agentOfToken }: ResolveParentDeps) {
	const byTable = processes.ownerOf(self, look, false);
	const byToken = join.token === undefined ? undefined : agentOfToken(join.token);
	return byTable ?? byToken ?? processes.ownerOf(self, look, true);
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

/** A process and its ancestors, itself first. */
function* withAncestorsOf(self: ProcessInfo, look: Pick<Look, "read">): Iterable<ProcessInfo> {
	let at: ProcessInfo | undefined = self;
	for (let step = 0; at !== undefined && step < MAX_ANCESTORS; step++) {
		yield at;
		at = at.parent <= 0 ? undefined : look.read(at.parent);
	}
}
