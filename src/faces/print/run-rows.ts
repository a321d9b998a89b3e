/** A run as a row, and the line below it: what it does now, or what came of it. Pure. */

import { countDoings } from "../../core/doing.ts";
import { ROOT } from "../../core/model/agent.ts";
import { totalTokens, type Usage } from "../../core/model/usage.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { formatDuration, formatWait } from "../../text/durations.ts";
import { formatCost } from "../../text/money.ts";
import { formatTokens } from "../../text/numbers.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { describeEnding } from "../../text/states.ts";
import { fitEnd } from "../../text/width/fit-end.ts";
import { describeCounts, doingWord, headline } from "../../view/agents/doing-words.ts";
import { shortTime } from "../../view/words/clock-time.ts";
import { formatUsedTokens } from "../../view/words/usage.ts";
import type { Cell, Column } from "./columns.ts";
import { knownTotals, type ListedRun, stateOfRun } from "./listed-run.ts";
import type { Tone } from "./paint.ts";

export interface RunRowsView {
	readonly now: number;
	/** The directory that the list is asked for in: runs of other directories say where they are. */
	readonly cwd: string;
	/** What the runs are called; absent: by their ids. */
	readonly names?: ReadonlyMap<string, string> | undefined;
}

const MOST_WHERE_COLUMNS = 24;
const UNKNOWN = "?";
/** The least terminal widths for what not all ask for. */
const NARROW = 60;
const WIDE = 100;
const WIDEST = 150;

export function runColumns({ now, cwd, names }: RunRowsView): Column<ListedRun>[] {
	const totals = (run: ListedRun) => knownTotals(run);
	return [
		{ head: "RUN", cell: ({ file }) => ({ text: oneLine(names?.get(file.run) ?? file.run), tone: "strong" }) },
		{ head: "STATE", cell: (run) => ({ text: stateWord(run), tone: toneOfRun(run) }) },
		{ head: "AGENTS", toRight: true, from: NARROW, cell: (run) => ({ text: String(totals(run).agents ?? UNKNOWN) }) },
		{
			head: "PID",
			toRight: true,
			from: WIDE,
			cell: (run) => ({ text: isOver(run) ? "" : String(run.file.supervisor.pid) }),
		},
		{ head: "TIME", toRight: true, cell: (run) => ({ text: timeOf(run, now) }) },
		{ head: "START", from: NARROW, cell: (run) => ({ text: isOver(run) ? startOf(run.file.startedAt, now) : "" }) },
		{ head: "TURNS", toRight: true, from: WIDE, cell: (run) => ({ text: String(totals(run).turns ?? UNKNOWN) }) },
		{ head: "TOKENS", toRight: true, from: NARROW, cell: (run) => tokensCell(totals(run).usage) },
		...KINDS.map(([head, kind]): Column<ListedRun> => {
			return { head, toRight: true, from: WIDEST, cell: (run) => kindCell(totals(run).usage, kind) };
		}),
		{ head: "COST", toRight: true, from: NARROW, cell: (run) => ({ text: formatCost(totals(run).costUsd ?? null) }) },
		{
			...{ head: "WHERE", from: WIDE },
			cell: ({ file }) => ({
				text: file.cwd === cwd ? "" : fitEnd(oneLine(file.cwd), MOST_WHERE_COLUMNS),
				tone: "dim",
			}),
		},
		{ head: "TASK", cell: ({ file }) => ({ text: firstLine(file.task) }) },
	];
}

type Kind = Exclude<keyof Usage, "uncounted">;

/** The kinds of tokens, each as the head of its column. */
export const KINDS: readonly (readonly [head: string, kind: Kind])[] = [
	["IN", "input"],
	["CACHE-R", "cacheRead"],
	["CACHE-W", "cacheWrite"],
	["OUT", "output"],
];

/** Blank for a model that uses none. */
export function kindCell(usage: Usage | undefined, kind: Kind): Cell {
	return { text: usage === undefined || totalTokens(usage) === 0 ? "" : formatTokens(usage[kind]), tone: "dim" };
}

/** What stands below the row of a run. */
export function runNow(run: ListedRun, now: number): Cell {
	const { file, state, answers } = run;
	if (state !== undefined && state.ended === undefined) return livingNow(run, state, now);
	const ending = state?.ended?.ending ?? file.ending ?? { by: "crashed", reason: "its supervisor died" };
	const agents = Object.values(state?.agents ?? {});
	const failed = state === undefined ? (file.failed ?? 0) : countDoings(agents).failed;
	const count = state === undefined ? (file.agents ?? 0) : agents.length;
	const some = failed > 0 && count > 1 ? `${failed} of ${count} failed; ` : "";
	const what = ending.by === "answer" ? headline(answers?.get(ROOT) ?? "") : describeEnding(ending);
	return { text: `${some}${what}`, tone: some === "" || ending.by !== "answer" ? toneOfRun(run) : "warn" };
}

function livingNow({ isSuspended }: ListedRun, state: RunState, now: number): Cell {
	const agents = Object.values(state.agents);
	const counts = countDoings(agents);
	const doing = agents.length > 1 ? describeCounts(counts) : ""; // what a single one does, its own row says
	const what = [
		...(isSuspended ? ["its supervisor is suspended (to continue: SIGCONT)"] : []),
		...(state.stopping === undefined ? [] : [`is being stopped: ${oneLine(state.stopping)}`]),
		...state.shortages.map(({ reason }) => oneLine(reason)),
		...(state.slowed !== undefined && state.slowed.until > now
			? [`no calls for ${formatWait(state.slowed.until - now)}: ${oneLine(state.slowed.reason)}`]
			: []),
	];
	const tone: Tone | undefined = counts.failed > 0 ? "bad" : what.length > 0 ? "warn" : undefined;
	return { text: [...what, doing].filter((text) => text !== "").join("; "), tone };
}

function isOver({ state }: ListedRun): boolean {
	return state === undefined || state.ended !== undefined;
}

/** The word that the JSON has, too, but for people where that is a term of ours. */
function stateWord(run: ListedRun): string {
	const state = stateOfRun(run);
	return state === "listening" ? doingWord(state) : state;
}

function toneOfRun(run: ListedRun): Tone | undefined {
	switch (stateOfRun(run)) {
		case "running":
			return "busy";
		case "answer":
		case "listening":
			return undefined;
		case "stopped":
		case "stopping":
		case "suspended":
			return "warn";
		default:
			return "bad";
	}
}

function timeOf({ file, state }: ListedRun, now: number): string {
	const endedAt = state === undefined ? file.endedAt : (state.ended?.at ?? now);
	return endedAt === undefined ? UNKNOWN : formatDuration(endedAt - file.startedAt);
}

function tokensCell(usage: Usage | undefined): Cell {
	return { text: usage === undefined ? UNKNOWN : formatUsedTokens(usage) };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** `20:15` on the same day, else `Nov27`, as ps has it; local. The year and the rest are in the run's id. */
function startOf(at: number, now: number): string {
	const date = new Date(at);
	if (date.toDateString() === new Date(now).toDateString()) return shortTime(at).slice(0, 5);
	return `${MONTHS[date.getMonth()]}${String(date.getDate()).padStart(2, "0")}`;
}
