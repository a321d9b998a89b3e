/**
 * Whether running commands get on: since when each is silent, what it has computed, and which processes it has. It is asked
 * of the run's files and of the process table, for why and for dashboards.
 */
import { type Agent, type AgentId, isOver, type RunningCommand } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { createOwnerOf, sandboxesAmong } from "../../processes/table/belonging.ts";
import { hasEnded, type Look, type ProcessInfo } from "../../processes/table/process-table.ts";
import { orUndefined } from "../../record/read-run.ts";
import type { RunSource } from "../../record/run-source.ts";
import type { CommandActivity } from "./activity.ts";

/** `look`: the processes of the machine that the run is on, as table.look() or freshLook() gives it. */
interface ActivitySources {
	readonly record: Pick<RunSource, "output">;
	readonly look: Pick<Look, "list">;
}

/**
 * Of all running commands of the agents that are named, in their order. One pass over the process table, and one look at a
 * file for each command; never throws for a file that is damaged.
 */
export function commandActivities(
	run: RunState,
	agents: readonly AgentId[],
	{ record, look }: ActivitySources,
): CommandActivity[] {
	const commands = agents.flatMap((id) => {
		const { running = [] } = run.agents[id] ?? {};
		return running.map((command) => ({ id, command }));
	});
	if (commands.length === 0) return [];
	const processes = processesByCommand(run, look);
	return commands.map(({ id, command }) => {
		const own = processes.get(ownerName(id, command)) ?? [];
		return {
			...{ agent: id, command: command.command, silentSince: silentSince(record, id, command) },
			cpuMs: cpuMsOf(own),
			processes: own.map(({ pid, name }) => ({ pid, name })).sort((a, b) => a.pid - b.pid),
		};
	});
}

function silentSince(
	record: ActivitySources["record"],
	agent: AgentId,
	{ log, since }: RunningCommand,
): number | undefined {
	const writtenAt = orUndefined(() => record.output(agent, log).lastWrittenAt());
	return writtenAt === undefined ? undefined : Math.max(since, Math.floor(writtenAt));
}

function cpuMsOf(processes: readonly ProcessInfo[]): number | undefined {
	const known = processes.flatMap(({ cpuMs }) => cpuMs ?? []);
	return known.length === 0 ? undefined : known.reduce((sum, ms) => sum + ms, 0);
}

/** A name of a command among the owners of processes, where agents have their ids. */
function ownerName(agent: AgentId, { command }: RunningCommand): string {
	return `${agent} ${command}`;
}

function processesByCommand(run: RunState, look: ActivitySources["look"]): ReadonlyMap<string, ProcessInfo[]> {
	const living = Object.values(run.agents).filter((agent) => !isOver(agent));
	const infos = look.list();
	const byPid = new Map(infos.map((info) => [info.pid, info]));
	const read = (pid: number) => byPid.get(pid);
	const ownerOf = createOwnerOf({ read, environment: () => undefined }, claimsOf(living, read));
	const pids = new Set(living.map(({ pid }) => pid));
	const isOfSandbox = sandboxesAmong(infos, (pid) => pids.has(pid));
	const owned = new Map<string, ProcessInfo[]>();
	for (const info of infos) {
		const owner = hasEnded(info) || isOfSandbox(info) ? undefined : ownerOf(info);
		if (owner === undefined) continue;
		const known = owned.get(owner);
		if (known === undefined) owned.set(owner, [info]);
		else known.push(info);
	}
	return owned;
}

/** Agents are owners, too, so that a process below a child is not taken for one of the command that started that child. */
function claimsOf(living: readonly Agent[], read: (pid: number) => ProcessInfo | undefined) {
	const agents = new Map(living.map(({ id, pid, startTime }) => [pid, { agent: id, startTime }]));
	const shells = new Map(
		living.flatMap(({ id, running }) => running.map((command) => [command.pid, ownerName(id, command)])),
	);
	return {
		agentAt: (pid: number) => agents.get(pid),
		commandAt: (pid: number) => {
			const agent = shells.get(pid);
			const shell = read(pid);
			const isOther = shell !== undefined && shell.session !== pid; // a later process has its pid: a shell leads its session
			return agent === undefined || isOther ? undefined : { agent, startTime: shell?.startTime ?? "" };
		},
	};
}
