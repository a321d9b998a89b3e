/**
 * What the dashboard knows of agents beside the run's events: when each has last got a token or printed, what its command
 * does meanwhile, whose call the service holds up, and the queue for a slot. Pure.
 */
import type { Agent, AgentId } from "../../core/model/agent.ts";
import { pauseOf } from "../../core/run/pause.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { formatDuration } from "../../text/durations.ts";
import type { ToldActivity } from "../../wire/watcher-messages.ts";

export interface Activity {
	/** For agents that think: when the newest token of the answer came. */
	readonly tokenAt: ReadonlyMap<AgentId, number>;
	/** Agents whose call waits until the service takes more, and since when. */
	readonly heldSince: ReadonlyMap<AgentId, number>;
	/** The place of each agent in the queue for a slot: 1 gets the next one. */
	readonly places: ReadonlyMap<AgentId, number>;
	/** How many are in that queue. */
	readonly queued: number;
	readonly commands: SeenCommands;
}

/** What was seen of a running command, in its log and among the processes. What is absent is not known. */
export interface SeenCommand {
	/** When it printed last; its start, if it has printed nothing. */
	readonly silentSince?: number | undefined;
	/** Its log was cut or cannot be read, so nobody sees what it prints. */
	readonly isCut?: true;
	/** What its processes have computed; looked at only while it is quiet, as its processes are. */
	readonly cpuMs?: number | undefined;
	readonly processes?: readonly { readonly pid: number; readonly name: string }[];
}

/** The same with whose command it is. */
export interface CommandActivity extends SeenCommand {
	readonly agent: AgentId;
	readonly command: number;
}

/** Of each agent with running commands, by their numbers. */
export type SeenCommands = ReadonlyMap<AgentId, ReadonlyMap<number, SeenCommand>>;

export const NO_ACTIVITY: Activity = {
	tokenAt: new Map(),
	heldSince: new Map(),
	places: new Map(),
	queued: 0,
	commands: new Map(),
};

/** Who brings nothing for so long may be stuck. */
const SILENT_MS = 30_000;

/** What the supervisor has told is added. */
export function withTold(activity: Activity, { tokens, held, queue }: ToldActivity, run: RunState): Activity {
	return {
		...activity,
		...(tokens && { tokenAt: tokensOfThinking(activity.tokenAt, tokens, run) }),
		...(held && { heldSince: new Map(Object.entries(held)) }),
		...(queue && { places: new Map(queue.first.map((agent, at) => [agent, at + 1])), queued: queue.length }),
	};
}

/** Without those of calls that are over, so that they do not pile up. */
function tokensOfThinking(
	before: ReadonlyMap<AgentId, number>,
	tokens: Readonly<Record<AgentId, number>>,
	run: RunState,
): ReadonlyMap<AgentId, number> {
	const all = [...before, ...Object.entries(tokens)];
	return new Map(all.filter(([agent]) => run.agents[agent]?.state.is === "thinking"));
}

/** What was seen of commands, where nothing else is known. */
export function activityOf(seen: readonly CommandActivity[]): Activity {
	const commands = new Map<AgentId, Map<number, SeenCommand>>();
	for (const { agent, command, ...rest } of seen) {
		const known = commands.get(agent) ?? new Map<number, SeenCommand>();
		commands.set(agent, known.set(command, rest));
	}
	return { ...NO_ACTIVITY, commands };
}

/** What was seen of a command of the agent; undefined: nothing. */
export function seenOf({ commands }: Activity, agent: AgentId, command: number): SeenCommand | undefined {
	return commands.get(agent)?.get(command);
}

/**
 * Since when nothing has come of the agent: no token, no output, no beginning of a call or a command. Undefined while it waits
 * for a person, for others or for a slot, is frozen or over, and where nobody would know of output.
 */
export function quietSince(agent: Agent, activity: Activity): number | undefined {
	const { id, state } = agent;
	if (pauseOf(agent)?.isHard || agent.asking !== undefined) return undefined;
	switch (state.is) {
		case "thinking":
			return Math.max(state.since, activity.tokenAt.get(id) ?? 0, state.retry?.since ?? 0);
		case "running":
			return lastSignOf(agent, state.since, activity);
		case "queued":
		case "waiting":
		case "listening":
		case "ended":
			return undefined;
	}
}

function lastSignOf({ id, running }: Agent, begun: number, activity: Activity): number | undefined {
	let last = begun;
	for (const { command, since } of running) {
		const { silentSince } = seenOf(activity, id, command) ?? {};
		if (silentSince === undefined) return undefined;
		last = Math.max(last, since, silentSince);
	}
	return last;
}

/** True for an agent that has been quiet for so long that somebody should look, while nothing explains its silence. */
export function isSilent(agent: Agent, activity: Activity, now: number): boolean {
	const since = quietSince(agent, activity);
	if (since === undefined || now - since < SILENT_MS) return false;
	const { id, state } = agent;
	if (state.is !== "thinking") return true;
	return !activity.heldSince.has(id) && (state.retry?.nextAt ?? 0) <= now;
}

/** Whether a running command gets on, as people read it. */

/** `no output for 1m50s, 0.0 s CPU time`; what is not known is left out, and `` when nothing is. */
export function describeActivity(
	{ silentSince, cpuMs }: { readonly silentSince?: number | undefined; readonly cpuMs?: number | undefined },
	now: number,
): string {
	const silence = silentSince === undefined ? [] : [`no output for ${formatDuration(now - silentSince)}`];
	return [...silence, ...(cpuMs === undefined ? [] : [`${formatCpu(cpuMs)} CPU time`])].join(", ");
}

/** `0.0 s`, `12.3 s`, `2m05s`: under a minute in tenths, since a command that computes next to nothing is what is looked for. */
export function formatCpu(ms: number): string {
	return ms < 60_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : formatDuration(ms);
}
