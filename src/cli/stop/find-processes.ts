/**
 * Finds the processes of a run without its supervisor: by the agents that its event log names, by the cookie that agents
 * and their commands carry, by descent from both, by the run's mark, and by its cgroup where there is one.
 */
import { existsSync, statSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import { type Agent, isOver, isWithin, ROOT } from "../../core/model/agent.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import { agentsInOrder } from "../../core/run/run-state.ts";
import { cgroupMembershipOf } from "../../processes/cgroups/cgroup.ts";
import { markOf, readMark } from "../../processes/run-mark.ts";
import {
	type Asker,
	type Claims,
	mayEnd,
	ownersIn,
	thisProcess,
	withCgroupMembers,
} from "../../processes/table/belonging.ts";
import { isInOurNamespace, ownPidNamespace } from "../../processes/table/pid-namespace.ts";
import { isAlive, type Look, type ProcessInfo } from "../../processes/table/process-table.ts";
import { replayRun } from "../../record/load-run.ts";
import type { FoundRun } from "../../record/read-run.ts";
import { readRunLock } from "../../record/run-lock.ts";

export type FindProcesses = (look: Look) => ProcessInfo[];

/** Finds the processes of an agent and of all below it; for the root, those of the whole run. */
export function findProcessesOf({ run, directory, agent = ROOT }: FoundRun): FindProcesses {
	const recorded = livingOnRecord(directory);
	const asker = askerFor(directory);
	const wasHere = existsSync(directory) && readRunLock(directory)?.owner?.pidNamespace === ownPidNamespace();
	return (look) => {
		const claims = claimsOf(run, recorded, look);
		const owned = ownersIn(look, claims).flatMap(({ info, owner }) =>
			owner !== undefined && isWithin(owner, agent) && mayEnd(info, asker) ? [info] : [],
		);
		const members = look.list().flatMap(({ pid }) => {
			const place = cgroupMembershipOf(pid);
			return place?.run === run && isWithin(place.agent, agent) ? [pid] : [];
		});
		// A run whose supervisor was elsewhere may go on there. One that was here has taken its agents into any namespace.
		return withCgroupMembers(look, owned, members).filter(({ pid }) => wasHere || isInOurNamespace(pid));
	};
}

/**
 * A file can name any process. So an agent on record is believed only if the process itself has an agent's title, and no
 * cookie of another run.
 */
function claimsOf(run: string, recorded: readonly Agent[], look: Look): Claims {
	const mark = markOf(run);
	const agents = new Map(recorded.filter((agent) => isAgentOf(run, agent, look)).map((agent) => [agent.pid, agent]));
	return {
		agentAt: (pid) => {
			const found = agents.get(pid);
			return found === undefined ? undefined : { agent: found.id, startTime: found.startTime };
		},
		agentOfCookie: (environment) => {
			const cookie = parseCookie(environment);
			return cookie?.run === run ? (cookie.agent ?? ROOT) : undefined;
		},
		agentOfMark: (pid) => (readMark(pid) === mark ? ROOT : undefined),
	};
}

function isAgentOf(run: string, agent: Agent, look: Look): boolean {
	if (!isAlive(look, agent) || look.read(agent.pid)?.name.startsWith("agent ") !== true) return false;
	const cookie = parseCookie(look.environment(agent.pid) ?? {});
	return cookie === undefined || cookie.run === run;
}

/** None when the record cannot be read: then there are the other ways. */
function livingOnRecord(directory: string): Agent[] {
	try {
		return agentsInOrder(replayRun(directory).state).filter((agent) => !isOver(agent));
	} catch (error) {
		if (error instanceof AgentreeError) return [];
		throw error;
	}
}

/** Root ends in another user's run what is that user's, and nothing else: the user may have written the files. */
function askerFor(directory: string): Asker {
	const own = thisProcess();
	return own.uid === 0 ? { ...own, uid: statSync(directory, { throwIfNoEntry: false })?.uid ?? 0 } : own;
}
