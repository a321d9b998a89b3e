/**
 * Who is whose child. The process table is asked first: the nearest ancestor that is an agent, known by pid and start
 * time since pids are reused. A process that has left its ancestors (`setsid`, a double fork) is found by the session
 * of a command, then by its token, then by the cookie in its environment. Its cgroup, where there is one, still knows
 * what all of these have lost, and whatever they say, it is a child of the agent in whose group it is, or of one below.
 * Never by a depth that it claims, and never one that is in another run's cgroup, whatever token it has got hold of.
 * Its pid is what it has told: in another pid namespace the same number is some stranger's process here.
 */
import { type AgentId, isOver, isWithin, ROOT, withAncestors } from "../../core/agent.ts";
import { parseCookie } from "../../core/cookie.ts";
import type { RunState } from "../../core/run-state.ts";
import type { ProcessInfo, ProcessTable } from "../../processes/process-table.ts";
import { isOtherStart, isSameStart } from "../../processes/start-time.ts";
import type { Join } from "../../protocol/agent-messages.ts";
import type { ResolvedParent } from "../decide/input.ts";

const MAX_ANCESTORS = 4096;
const OTHER_NAMESPACE =
	"it is in another pid namespace than its run (docker, unshare --pid), where it could neither be seen nor ended; start the agent outside of it, and let it use docker or unshare in its commands";

export interface ResolveParentDeps {
	table: ProcessTable;
	run: RunState;
	/** The supervisor's own. */
	pidNamespace: string | null;
	/** The pid of the root agent that the supervisor has started. */
	rootPid: number | undefined;
	agentByToken: ReadonlyMap<string, AgentId>;
	/** Every command ever started, by the pid of its shell, which is its session too. */
	commandByPid: ReadonlyMap<number, { agent: AgentId; command: number; startTime: string }>;
	/** In whose cgroup a process is. */
	groupOf: (pid: number) => { readonly run: string; readonly agent: AgentId } | undefined;
}

export function resolveParent(join: Join, facts: ResolveParentDeps): ResolvedParent {
	const { run, rootPid } = facts;
	if (join.pidNamespace !== facts.pidNamespace) return { is: "unknown", reason: OTHER_NAMESPACE };
	if (join.pid <= 1) return { is: "unknown", reason: `the process with pid ${join.pid} of a system is never an agent` };
	const table = facts.table.snapshot?.() ?? facts.table;
	const self = table.read(join.pid);
	if (self === undefined)
		return {
			is: "unknown",
			reason: `its process (pid ${join.pid}) is not visible to the supervisor; start agents in the supervisor's pid namespace`,
		};
	const { startTime } = self;
	if (join.startTime !== undefined && isOtherStart(join.startTime, startTime))
		return { is: "unknown", reason: `pid ${join.pid} is another process, which started at another time` };
	const root = run.agents[ROOT];
	if (join.pid === rootPid && (root === undefined || isOver(root))) return { is: "root", startTime };
	const group = facts.groupOf(join.pid);
	if (group !== undefined && group.run !== run.run) return { is: "unknown", reason: `it belongs to run ${group.run}` };
	const line = ancestorsOf(table, self);
	const now = { ...facts, table };
	const found = nearestAgent(run, line) ?? bySession(now, [self, ...line]) ?? byToken(now, join) ?? byCookie(now, self);
	const parent = ownerBy(nearestKnown(run, group?.agent), found);
	if (parent === undefined) return { is: "unknown", reason: "it is not below any agent of this run" };
	const command = commandOf(now, parent, [self, ...line], join.command);
	return { is: "child", parent, startTime, ...(command === undefined ? {} : { command }) };
}

function ancestorsOf(table: ProcessTable, self: ProcessInfo): ProcessInfo[] {
	const line: ProcessInfo[] = [];
	for (let at = table.read(self.parent); at !== undefined && line.length < MAX_ANCESTORS; at = table.read(at.parent)) {
		line.push(at);
		if (at.parent <= 0) break;
	}
	return line;
}

function nearestAgent(run: RunState, line: readonly ProcessInfo[]): AgentId | undefined {
	const agents = Object.values(run.agents);
	for (const { pid, startTime } of line) {
		const agent = agents.find((agent) => agent.pid === pid && isSameStart(agent.startTime, startTime));
		if (agent !== undefined) return agent.id;
	}
	return undefined;
}

function bySession(facts: ResolveParentDeps, line: readonly ProcessInfo[]): AgentId | undefined {
	for (const { session } of line) {
		const command = commandOfShell(facts, session);
		if (command !== undefined) return command.agent;
	}
	return undefined;
}

function byToken({ agentByToken }: ResolveParentDeps, join: Join): AgentId | undefined {
	return join.token === undefined ? undefined : agentByToken.get(join.token);
}

function byCookie({ table, run }: ResolveParentDeps, self: ProcessInfo): AgentId | undefined {
	const cookie = parseCookie(table.environment(self.pid) ?? {});
	const agent = cookie?.run === run.run ? cookie.agent : undefined;
	return agent !== undefined && run.agents[agent] !== undefined ? agent : undefined;
}

/** What is in an agent's cgroup is its own, or that of an agent below it which has no group. */
export function ownerBy(group: AgentId | undefined, found: AgentId | undefined): AgentId | undefined {
	if (group === undefined) return found;
	return found !== undefined && isWithin(found, group) ? found : group;
}

function nearestKnown(run: RunState, agent: AgentId | undefined): AgentId | undefined {
	return agent === undefined ? undefined : withAncestors(agent).find((id) => run.agents[id] !== undefined);
}

/** The parent's running command that it belongs to: by ancestry or session; else as it says, if that command runs. */
function commandOf(
	facts: ResolveParentDeps,
	parent: AgentId,
	line: readonly ProcessInfo[],
	claimed: number | undefined,
): number | undefined {
	const agent = facts.run.agents[parent];
	for (const { pid, session } of line) {
		const found = commandOfShell(facts, pid) ?? commandOfShell(facts, session);
		if (found?.agent === parent) return found.command;
	}
	const isRunning = agent !== undefined && !isOver(agent) && agent.running.some(({ command }) => command === claimed);
	return isRunning ? claimed : undefined;
}

/** Also after its shell has ended, until a later process has the pid. */
function commandOfShell({ table, commandByPid }: ResolveParentDeps, pid: number) {
	const command = commandByPid.get(pid);
	const holder = command === undefined ? undefined : table.read(pid);
	if (command === undefined || holder === undefined) return command;
	return isSameStart(holder.startTime, command.startTime) ? command : undefined;
}
