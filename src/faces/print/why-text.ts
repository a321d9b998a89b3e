/** Why an agent has ended, or has not, as lines: the chain of causes, and where that forks what all do that it waits for. Pure. */

import { withAncestors } from "../../core/agent-id.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { formatDuration } from "../../text/durations.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { fitWidth } from "../../text/width/width.ts";
import { wrapText } from "../../text/width/wrap.ts";
import type { Cause } from "../../view/cause.ts";
import { causeLines } from "../../view/cause-text.ts";
import type { CommandActivity } from "../../view/command-activity.ts";
import type { DoingGroup, GroupedDoing, GroupMember } from "../../view/doing-groups.ts";
import type { FailedGroup } from "../../view/failed-groups.ts";
import { describeActivity } from "../../view/words/activity.ts";
import type { Paint, Tone } from "./paint.ts";

export interface Why {
	readonly run: RunState;
	readonly causes: readonly Cause[];
	/** Of a living agent. */
	readonly groups: readonly DoingGroup[];
	/** The agents below it that have failed. */
	readonly failed: readonly FailedGroup[];
	readonly names: ReadonlyMap<AgentId, string>;
	/** The last line that a command has printed; "" when there is none. */
	readonly lastLineOf: (activity: CommandActivity) => string;
}

export interface WhyView {
	readonly paint: Paint;
	/** The width of the terminal; undefined: no line is cut. */
	readonly columns: number | undefined;
	readonly now: number;
}

const INDENT = "  ";
const MOST_DETAILED = 3;
const MOST_NAMED = 5;
const LEAST_COLUMNS = 20;

export function whyLines(why: Why, view: WhyView): string[] {
	const fork = forkOf(why.causes);
	const chain = causeLines(fork ?? why.causes, view.now).flatMap((line) => wrapped(line, view, ""));
	const groups = fork === undefined ? [] : why.groups.map((group) => groupLine(group, why, view));
	const failed = why.failed.flatMap((group) => failedLines(group, why, view));
	const silent = why.groups.flatMap(({ doing, members }) => (doing === "silent" ? members : []));
	const details = silent.slice(0, MOST_DETAILED).flatMap((member) => ["", ...detailLines(member, why, view)]);
	return [...chain, ...groups, ...failed, ...details];
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
const WORDS: Readonly<Record<GroupedDoing, readonly [one: string, many: string]>> = {
	silent: ["runs a command that is silent", "run commands that are silent"],
	running: ["runs a command", "run commands"],
	thinking: ["thinks", "think"],
	retrying: ["makes its call again", "make their calls again"],
	queued: ["waits", "wait"],
	paused: ["is paused", "are paused"],
};

const TONES: Readonly<Record<GroupedDoing, Tone | undefined>> = {
	...{ silent: "warn", retrying: "warn", paused: "warn", running: undefined, thinking: undefined, queued: undefined },
};

/** `12 wait for a slot, the longest 1.2.3 parser/piece 4 for 3m05s`. */
function groupLine({ doing, reason, members }: DoingGroup, { names, run }: Why, view: WhyView): string {
	const [longest] = members;
	if (longest === undefined) return "";
	const [one, many] = WORDS[doing];
	const slot = doing === "queued" && reason === undefined ? " for a slot" : "";
	const who = `${longest.agent} ${pathName(longest.agent, names)}`.trimEnd();
	const what = members.length === 1 ? `${who} ${one}${slot}` : `${members.length} ${many}${slot}, the longest ${who}`;
	const why = reason ?? commandOf(longest, run);
	const facts = longest.activity === undefined ? "" : factsOf(doing, longest.activity, view.now);
	const line = `${what} for ${formatDuration(view.now - longest.since)}${facts}${why === "" ? "" : `: ${why}`}`;
	return view.paint.tone(cut(line, view), TONES[doing]);
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
function failedLines({ text, agents }: FailedGroup, { names }: Why, view: WhyView): string[] {
	const how = text.replace(/^failure: /, "");
	const named = agents.slice(0, MOST_NAMED).map((agent) => `${agent} ${pathName(agent, names)}`.trimEnd());
	const more = agents.length > MOST_NAMED ? ` and ${agents.length - MOST_NAMED} more` : "";
	const who = agents.length === 1 ? `${named[0]} has failed` : `${agents.length} have failed`;
	const lines = wrapped(`${who}: ${how}`, view, "").map((line) => view.paint.tone(line, "bad"));
	return agents.length === 1 ? lines : [...lines, ...wrapped(`${named.join(", ")}${more}`, view)];
}

function detailLines(member: GroupMember, why: Why, view: WhyView): string[] {
	const { agent, activity } = member;
	const task = firstLine(why.run.agents[agent]?.task ?? "");
	const title = `${agent} ${pathName(agent, why.names)}`.trimEnd();
	if (activity === undefined) return [];
	const processes = activity.processes.map(({ pid, name }) => `${oneLine(name)} (${pid})`);
	const facts = [describeActivity(activity, view.now), ...processes].filter((text) => text !== "").join(", ");
	const last = oneLine(why.lastLineOf(activity));
	return [
		`${view.paint.bold(title)}${cut(`${title}: ${task}`, view).slice(title.length)}`,
		...wrapped(commandOf(member, why.run), view),
		...wrapped(facts, view),
		...(last === "" ? [] : [cut(`${INDENT}it printed last: ${last}`, view)]),
	];
}

/** `linker/piece 7`: the names of the agents above it, and its own. */
function pathName(agent: AgentId, names: ReadonlyMap<AgentId, string>): string {
	const path = withAncestors(agent).slice(0, -1).reverse();
	return path.flatMap((id) => names.get(id) || []).join("/");
}

function wrapped(text: string, { columns }: WhyView, indent = INDENT): string[] {
	if (columns === undefined) return [`${indent}${text}`];
	return wrapText(text, Math.max(LEAST_COLUMNS, columns) - indent.length).map((line) => `${indent}${line}`);
}

function cut(line: string, { columns }: WhyView): string {
	return columns === undefined ? line : fitWidth(line, Math.max(LEAST_COLUMNS, columns));
}
