/**
 * Why an agent has ended, or has not, for every face: the chain of causes, and where that forks what all do that it waits for, as
 * groups of those that do the same; then the agents below it that have failed. Pure.
 */
import type { Doing } from "../../core/doing.ts";
import { type Agent, type AgentId, hasFailed, isWithin, withAncestors } from "../../core/model/agent.ts";
import { pauseOf } from "../../core/run/pause.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { wholeEnding } from "../../text/describe-ending.ts";
import { formatDuration } from "../../text/durations.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import {
	type Activity,
	type CommandActivity,
	describeActivity,
	isSilent,
	NO_ACTIVITY,
	seenOf,
} from "../agents/activity.ts";
import { inTreeOrder, nameOf } from "../agents/agent-tree.ts";
import type { Tone } from "../agents/doing-now.ts";
import type { RunView, Sight } from "../agents/run-view.ts";
import { type Cause, causeLines } from "./cause.ts";

/** `silent`: its commands run, and none of them has printed anything for a while. */
type GroupedDoing = Extract<Doing, "running" | "thinking" | "retrying" | "queued" | "paused"> | "silent";

interface GroupMember {
	readonly agent: AgentId;
	/** Since when it does that; of one that is silent, since when it is. */
	readonly since: number;
	/** Of a running command that tells most of it: the one that printed last. */
	readonly activity?: CommandActivity;
}

export interface DoingGroup {
	readonly doing: GroupedDoing;
	/** What all of them wait for, where that is known. */
	readonly reason?: string;
	/** Those that do it longest first. */
	readonly members: readonly GroupMember[];
}

export interface FailedGroup {
	/** How they ended: `failure: overloaded`. */
	readonly text: string;
	/** In tree order. */
	readonly agents: readonly AgentId[];
}

export interface Why {
	readonly causes: readonly Cause[];
	/** The living agents at and below it, but those that wait for others of them: the group first whose longest waits longest. */
	readonly groups: readonly DoingGroup[];
	/** Those below it that have failed alike, the largest group first. */
	readonly failed: readonly FailedGroup[];
}

/** `causes`: of the agent, as the event log tells them. */
export function whyOf({ sight }: RunView, agent: AgentId, causes: readonly Cause[]): Why {
	const { run, activity = NO_ACTIVITY } = sight;
	const seen = causes.map((cause) => (cause.is === "runs" ? withActivity(cause, activity) : cause));
	return { causes: seen, groups: doingGroups(sight, agent), failed: failedGroups(run, agent) };
}

function withActivity(cause: Extract<Cause, { is: "runs" }>, { commands }: Activity): Cause {
	const { agent, command } = cause;
	const seen = commands.get(agent)?.get(command);
	return seen === undefined ? cause : { ...cause, activity: { agent, command, ...seen } };
}

function doingGroups(sight: Sight, root: AgentId): DoingGroup[] {
	const found = inTreeOrder(sight.run.agents).flatMap((agent) =>
		isWithin(agent.id, root) ? (placeOf(agent, sight) ?? []) : [],
	);
	const groups = groupBy(found, ({ doing, reason = "" }) => `${doing} ${reason}`);
	const sorted = [...groups.values()].map((placed) => placed.sort((a, b) => a.member.since - b.member.since));
	return sorted
		.sort(([a], [b]) => (a?.member.since ?? 0) - (b?.member.since ?? 0))
		.flatMap((placed) => {
			const [first] = placed;
			if (first === undefined) return [];
			const { doing, reason } = first;
			return [{ doing, ...(reason !== undefined && { reason }), members: placed.map(({ member }) => member) }];
		});
}

interface Placed {
	readonly doing: GroupedDoing;
	readonly reason?: string | undefined;
	readonly member: GroupMember;
}

/** Undefined for an agent that is over, or waits for a person or for those below it. */
function placeOf(agent: Agent, sight: Sight): Placed | undefined {
	const { id, state, asking } = agent;
	const pause = pauseOf(agent);
	if (state.is === "ended" || asking !== undefined) return undefined;
	const member = { agent: id, since: (pause ?? state).since };
	if (pause !== undefined) return { doing: "paused", reason: `agent continue ${pause.by} ends the pause`, member };
	switch (state.is) {
		case "running":
			return placeOfRunning(agent, sight);
		case "queued":
			return { doing: "queued", reason: state.reason === undefined ? undefined : oneLine(state.reason), member };
		case "thinking": {
			const { retry } = state;
			return retry === undefined
				? { doing: "thinking", member }
				: { doing: "retrying", reason: oneLine(retry.reason), member };
		}
		case "waiting":
		case "listening":
			return undefined;
	}
}

/** Of several commands the one that printed last speaks for the agent: one of which nothing is known may print now. */
function placeOfRunning(agent: Agent, { now, activity = NO_ACTIVITY }: Sight): Placed {
	const { id, running } = agent;
	const seen = running.flatMap(({ command }) => {
		const known = seenOf(activity, id, command);
		return known === undefined ? [] : [{ agent: id, command, ...known }];
	});
	const [newest] = seen.sort((a, b) => (b.silentSince ?? now) - (a.silentSince ?? now));
	const told = newest === undefined ? {} : { activity: newest };
	if (isSilent(agent, activity, now) && newest?.silentSince !== undefined)
		return { doing: "silent", member: { agent: id, since: newest.silentSince, ...told } };
	const since = Math.min(now, ...running.map((command) => command.since));
	return { doing: "running", member: { agent: id, since, ...told } };
}

function failedGroups({ agents }: RunState, root: AgentId): FailedGroup[] {
	const failed = inTreeOrder(agents).flatMap((agent) => {
		const isBelow = agent.id !== root && isWithin(agent.id, root) && hasFailed(agent);
		return isBelow && agent.state.is === "ended" ? [{ id: agent.id, text: wholeEnding(agent.state.ending) }] : [];
	});
	return [...groupBy(failed, ({ text }) => text)]
		.map(([text, members]) => ({ text, agents: members.map(({ id }) => id) }))
		.sort((a, b) => b.agents.length - a.agents.length);
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const value of values) {
		const key = keyOf(value);
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [value]);
		else group.push(value);
	}
	return groups;
}

/** What is said, for a face to break into lines. */
export interface Paragraph {
	readonly text: string;
	readonly tone?: Tone | undefined;
	/** A link of the chain of causes. */
	readonly isCause?: true;
	/** One line, which is cut where the room ends. */
	readonly isLine?: true;
	/** It belongs to the paragraph before it. */
	readonly isIndented?: true;
	/** So many of its first characters stand out. */
	readonly titleLength?: number;
}

const MOST_DETAILED = 3;
const MOST_NAMED = 5;

/** The chain, the groups and the failures. */
export function whyParagraphs({ causes, groups, failed }: Why, { sight }: RunView): Paragraph[] {
	const fork = forkOf(causes);
	return [
		...causeLines(fork ?? causes, sight.now).map((text) => ({ text, isCause: true }) as const),
		...(fork === undefined ? [] : groups.map((group) => groupLine(group, sight))),
		...failed.flatMap((group) => failedParagraphs(group, sight)),
	];
}

/** Of the agents that have been silent for longest. `lastLineOf`: the last line that a command has printed; "" when there is none. */
export function silentParagraphs(
	{ groups }: Why,
	{ sight }: RunView,
	lastLineOf: (activity: CommandActivity) => string,
): Paragraph[] {
	const silent = groups.flatMap(({ doing, members }) => (doing === "silent" ? members : []));
	return silent.slice(0, MOST_DETAILED).flatMap((member) => details(member, sight, lastLineOf));
}

/** The causes up to the agent that waits for several others; undefined when none does. */
function forkOf(causes: readonly Cause[]): Cause[] | undefined {
	const waits = new Map<AgentId, number>();
	for (const cause of causes) if (cause.is === "waits_for") waits.set(cause.agent, (waits.get(cause.agent) ?? 0) + 1);
	const first = causes.find((cause) => cause.is === "waits_for" && (waits.get(cause.agent) ?? 0) > 1);
	if (first?.is !== "waits_for") return undefined;
	const before = causes.slice(0, causes.indexOf(first));
	return [...before, ...causes.filter((cause) => cause.is === "waits_for" && cause.agent === first.agent)];
}

/** What one of them does, and several. */
const WORDS: Readonly<Record<GroupedDoing, readonly [one: string, many: string, tone?: Tone]>> = {
	silent: ["runs a silent command", "run silent commands", "warn"],
	running: ["runs a command", "run commands"],
	thinking: ["thinks", "think"],
	retrying: ["is retrying", "are retrying", "warn"],
	queued: ["waits", "wait"],
	paused: ["is paused", "are paused", "warn"],
};

/** `12 wait for a slot, the longest 1.2.3 parser/piece 4 for 3m05s`. */
function groupLine({ doing, reason, members }: DoingGroup, { run, now }: Sight): Paragraph {
	const [longest] = members;
	if (longest === undefined) return { text: "" };
	const [one, many, tone] = WORDS[doing];
	const slot = doing === "queued" && reason === undefined ? " for a slot" : "";
	const who = titleOf(longest.agent, run);
	const what = members.length === 1 ? `${who} ${one}${slot}` : `${members.length} ${many}${slot}, the longest ${who}`;
	const why = reason ?? commandOf(longest, run);
	const facts = longest.activity === undefined ? "" : factsOf(doing, longest.activity, now);
	return {
		text: `${what} for ${formatDuration(now - longest.since)}${facts}${why === "" ? "" : `: ${why}`}`,
		...{ tone, isLine: true },
	};
}

/** How long a silent one is silent, its line has already. */
function factsOf(doing: GroupedDoing, { silentSince, cpuMs }: CommandActivity, now: number): string {
	const words = describeActivity({ silentSince: doing === "silent" ? undefined : silentSince, cpuMs }, now);
	return words === "" ? "" : `, ${words}`;
}

function commandOf({ agent, activity }: GroupMember, { agents }: RunState): string {
	const running = agents[agent]?.running ?? [];
	const command = running.find((other) => other.command === activity?.command) ?? running[0];
	return command === undefined ? "" : `$ ${firstLine(command.text)}`;
}

/** How they failed, and below that who. */
function failedParagraphs({ text, agents }: FailedGroup, { run }: Sight): Paragraph[] {
	const named = agents.slice(0, MOST_NAMED).map((agent) => titleOf(agent, run));
	const more = agents.length > MOST_NAMED ? ` and ${agents.length - MOST_NAMED} more` : "";
	const who = agents.length === 1 ? `${named[0]} has failed` : `${agents.length} have failed`;
	const first: Paragraph = { text: `${who}: ${text.replace(/^failure: /, "")}`, tone: "bad" };
	return agents.length === 1 ? [first] : [first, { text: `${named.join(", ")}${more}`, isIndented: true }];
}

function details(
	member: GroupMember,
	{ run, now }: Sight,
	lastLineOf: (activity: CommandActivity) => string,
): Paragraph[] {
	const { agent, activity } = member;
	if (activity === undefined) return [];
	const title = titleOf(agent, run);
	const processes = (activity.processes ?? []).map(({ pid, name }) => `${oneLine(name)} (${pid})`);
	const { silentSince, cpuMs } = activity;
	const facts = [describeActivity({ silentSince, cpuMs }, now), ...processes].filter((text) => text !== "").join(", ");
	const last = oneLine(lastLineOf(activity));
	return [
		{ text: "" },
		{ text: `${title}: ${firstLine(run.agents[agent]?.task ?? "")}`, isLine: true, titleLength: title.length },
		{ text: commandOf(member, run), isIndented: true },
		{ text: facts, isIndented: true },
		...(last === "" ? [] : [{ text: `it printed last: ${last}`, isIndented: true, isLine: true } as const]),
	];
}

/** `1.2.3 linker/piece 7`: with the names of the agents above it, and its own. */
function titleOf(agent: AgentId, { agents }: RunState): string {
	const path = withAncestors(agent).slice(0, -1).reverse();
	return `${agent} ${path.flatMap((id) => nameOf(agents, id) || []).join("/")}`.trimEnd();
}
