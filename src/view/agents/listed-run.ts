/** A run as lists have it: its state in a word, its totals, and in a line what it does now or what came of it. Pure. */
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import type { Usage } from "../../core/model/usage.ts";
import { type RunState, totalsOf } from "../../core/run/run-state.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { formatDuration, formatWait } from "../../text/durations.ts";
import { counted, formatDollars } from "../../text/numbers.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { treeOf } from "./agent-tree.ts";
import { describeCounts, doingWord, headline, type Tone } from "./doing-now.ts";

/** `state` is undefined for a run of which only run.json was read: it is over. */
export interface ListedRun {
	readonly file: RunFile;
	readonly state?: RunState;
	/** The run's supervisor lives, but was stopped by a signal. */
	readonly isSuspended?: boolean;
	/** The answers of agents that were looked for. */
	readonly answers?: ReadonlyMap<AgentId, string>;
}

/** The state of a run in one word: `running`, `stopping`, `suspended`, `listening`, `crashed`, `answer`, `limit` … */
export function stateOfRun({ file, state, isSuspended }: ListedRun): string {
	if (state === undefined) return file.ending?.by ?? "crashed";
	if (state.ended !== undefined) return state.ended.ending.by;
	if (isSuspended) return "suspended";
	if (state.stopping !== undefined) return "stopping";
	return state.agents[ROOT]?.state.is === "listening" ? "listening" : "running";
}

/** The word that the JSON has, too, but for people where that is a term of ours. */
export function runWord(run: ListedRun): string {
	const state = stateOfRun(run);
	return state === "listening" ? doingWord(state) : state;
}

export function runTone(run: ListedRun): Tone {
	switch (stateOfRun(run)) {
		case "running":
			return "busy";
		case "answer":
		case "listening":
			return "plain";
		case "stopped":
		case "stopping":
		case "suspended":
			return "warn";
		default:
			return "bad";
	}
}

/** A run's totals; undefined when it crashed, or was recorded before run.json had them. `costUsd` null: no price is known. */
export interface KnownTotals {
	readonly agents?: number | undefined;
	readonly failed?: number | undefined;
	readonly turns?: number | undefined;
	readonly usage?: Usage | undefined;
	readonly costUsd?: number | null | undefined;
}

export function knownTotals({ file, state }: ListedRun): KnownTotals {
	if (state !== undefined)
		return { ...totalsOf(Object.values(state.agents)), failed: treeOf(state.agents).counts.failed };
	const { agents, failed, turns, usage, costUsd } = file;
	return { agents, failed, turns, usage, costUsd };
}

/** What it does now, or what came of it: `1 failed, 1 running`, `2 of 3 failed; done`. */
export function runDetail(run: ListedRun, now: number): { readonly text: string; readonly tone: Tone } {
	const { file, state, answers } = run;
	if (state !== undefined && state.ended === undefined) return livingDetail(run, state, now);
	const ending = state?.ended?.ending ?? file.ending ?? { by: "crashed", reason: "its supervisor died" };
	const { agents = 0, failed = 0 } = knownTotals(run);
	const some = failed > 0 && agents > 1 ? `${failed} of ${agents} failed; ` : "";
	const what = ending.by === "answer" ? headline(answers?.get(ROOT) ?? "") : describeEnding(ending);
	return { text: `${some}${what}`, tone: some === "" || ending.by !== "answer" ? runTone(run) : "warn" };
}

function livingDetail({ isSuspended }: ListedRun, state: RunState, now: number): { text: string; tone: Tone } {
	const { agents, counts } = treeOf(state.agents);
	const doing = agents > 1 ? describeCounts(counts) : ""; // what a single one does, its own row says
	const what = [
		...(isSuspended ? ["its supervisor is suspended (to continue: SIGCONT)"] : []),
		...(state.stopping === undefined ? [] : [`is being stopped: ${oneLine(state.stopping)}`]),
		...state.shortages.map(({ reason }) => oneLine(reason)),
		...(state.slowed !== undefined && state.slowed.until > now
			? [`no calls for ${formatWait(state.slowed.until - now)}: ${oneLine(state.slowed.reason)}`]
			: []),
	];
	const tone = counts.failed > 0 ? "bad" : what.length > 0 ? "warn" : "plain";
	return { text: [...what, doing].filter((text) => text !== "").join("; "), tone };
}

/** `run e380: 61 agents, 6 failed, 6m11s, $0.42 — agent attach e380`. `name`: what the run is called on the command line. */
export function runSummary(run: RunState, name: string, now: number): string {
	const { agents, alive, costUsd } = totalsOf(Object.values(run.agents));
	const { stopped, failed } = treeOf(run.agents).counts;
	const facts = [
		counted(agents, "agent"),
		...some(alive, "alive"),
		...some(stopped, "stopped"),
		...some(failed, "failed"),
		formatDuration((run.ended?.at ?? now) - run.startedAt),
		...(costUsd === 0 ? [] : [costUsd === null ? "cost unknown" : formatDollars(costUsd)]),
	];
	return `run ${name}: ${facts.join(", ")} — agent attach ${name}`;
}

function some(count: number, what: string): string[] {
	return count === 0 ? [] : [`${count} ${what}`];
}
