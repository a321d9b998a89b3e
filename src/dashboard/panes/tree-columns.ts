/** The columns of the tree. Those that do not fit are left out, the least needed first. */
import { type Agent, ROOT } from "../../core/agent.ts";
import { pauseOf } from "../../core/pause.ts";
import { totalsWithin } from "../../core/spending.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatTokens } from "../../text/numbers.ts";
import { ageOf } from "../../text/states.ts";
import { formatUsedTokens } from "../../text/usage.ts";
import { isSilent, quietSince } from "../scene/activity.ts";
import { type Segment, segment } from "../scene/line.ts";
import type { Scene } from "../scene/scene.ts";
import type { TreeRow } from "../scene/tree-rows.ts";

export interface Column {
	readonly head: string;
	readonly width: number;
	/** From this width of the pane on the column is shown. */
	readonly fromColumns: number;
	readonly show: (row: TreeRow, scene: Scene) => Segment;
}

/** The row stands for all below it: they have no rows, or they are what it waits for. */
export function standsForBranch({ agent, fold }: TreeRow): boolean {
	return fold === "folded" || agent.state.is === "waiting";
}

const FOR: Column = {
	...{ head: "for", width: 5, fromColumns: 44 },
	show: ({ agent }, { now }) => segment(shortDuration(timeInState(agent, now))),
};
const AGE: Column = { ...FOR, head: "age", show: ({ agent }, { now }) => segment(shortDuration(ageOf(agent, now))) };
const QUIET: Column = { head: "quiet", width: 6, fromColumns: 50, show: quietCell };
const DOLLARS: Column = { head: "$ ", width: 5, fromColumns: 60, show: dollarsCell };
const TOKENS: Column = {
	...{ head: "tokens", width: 6, fromColumns: 60 },
	show: ({ agent }) => segment(formatUsedTokens(agent.usage)),
};

/** A list has the column that it is sorted by, however narrow it is. */
export function columnsOf({ run, ui }: Scene, width: number): Column[] {
	const { order } = ui.tree;
	const isFree = totalsWithin(run, ROOT).costUsd === 0;
	const isBy = (name: string) => order.is === "list" && order.by === name;
	const first = isBy("age") ? AGE : FOR;
	const third = isBy("tokens") ? TOKENS : DOLLARS;
	const sorted = isBy("age") ? AGE : isBy("quiet") ? QUIET : third;
	const all = [first, QUIET, ...(isFree && third === DOLLARS && !isBy("dollars") ? [] : [third])];
	return all.filter((column) => width >= column.fromColumns || (order.is === "list" && column === sorted));
}

/** Of an agent that has ended: how long it lived. */
function timeInState(agent: Agent, now: number): number {
	const { state } = agent;
	if (state.is === "ended") return ageOf(agent, now);
	return now - (pauseOf(agent)?.since ?? state.since);
}

/** Who has brought something a moment ago is not quiet. */
const LEAST_QUIET_MS = 5_000;

/** The mark stands behind the numbers, so that these are aligned. */
function quietCell({ agent }: TreeRow, { activity, now }: Scene): Segment {
	const since = quietSince(agent, activity);
	if (since === undefined || now - since < LEAST_QUIET_MS) return segment("");
	const time = shortDuration(now - since);
	return isSilent(agent, activity, now) ? segment(`${time}!`, "warn") : segment(`${time} `, "dim");
}

function dollarsCell(row: TreeRow, { run }: Scene): Segment {
	const { agent, fold } = row;
	const isSum = fold !== "none" && standsForBranch(row);
	const usd = isSum ? totalsWithin(run, agent.id).costUsd : agent.costUsd;
	return usd === null ? segment("?", "warn") : segment(shortDollars(usd), isSum ? "strong" : "plain");
}

/** `0.42`, `12.30`, `1234`; nothing for what was free. */
function shortDollars(usd: number): string {
	if (usd === 0) return "";
	return usd < 99.995 ? usd.toFixed(2) : usd < 9_999.5 ? usd.toFixed(0) : formatTokens(usd);
}

/** At most 5 characters, in whole seconds, since milliseconds would flicker. */
export function shortDuration(ms: number): string {
	const whole = Math.max(0, Math.floor(ms / 1_000));
	if (whole === 0) return "0s";
	const hours = Math.floor(whole / 3_600);
	return hours < 10 ? formatDuration(whole * 1_000) : hours < 1_000 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
