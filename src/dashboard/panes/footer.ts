/** The last two lines: totals against limits, and what can be done now. */
import { depthOf } from "../../core/agent.ts";
import type { Limits } from "../../core/limits.ts";
import { type RunState, type Totals, totalsOf } from "../../core/run-state.ts";
import { totalTokens } from "../../core/usage.ts";
import { formatDuration, formatWait } from "../../text/durations.ts";
import { formatCost, formatDollars } from "../../text/money.ts";
import { formatTokens } from "../../text/numbers.ts";
import { describeEnding } from "../../text/states.ts";
import { cleanText, oneLine } from "../../text/terminal-safe.ts";
import { fitWidth } from "../../text/width.ts";
import { KEYS } from "../keys.ts";
import { type Line, lineWidth, type Segment, segment, type Tone } from "../styled.ts";
import type { UiState } from "../ui-state.ts";

interface Fact {
	readonly name: string;
	readonly value: string;
	readonly tone: Tone;
	/** The highest is left out first. */
	readonly rank: number;
}

const BETWEEN = "  ";

export function totalsLine(run: RunState, now: number, width: number): Line {
	let facts = factsOf(run, now);
	for (let rank = 9; rank > 0 && lineWidth(factsLine(facts)) > width; rank--)
		facts = facts.filter((fact) => fact.rank !== rank);
	return factsLine(facts);
}

function factsOf(run: RunState, now: number): Fact[] {
	const agents = Object.values(run.agents);
	const totals = totalsOf(agents);
	const active = agents.filter(({ state }) => state.is === "thinking" || state.is === "running").length;
	const depth = agents.reduce((deepest, { id }) => Math.max(deepest, depthOf(id)), 0);
	const { maxAgents, maxConcurrency, maxDepth, maxTotalTurns, maxTimeMs } = run.limits;
	const elapsed = Math.max(0, (run.ended?.at ?? now) - run.startedAt);
	const facts: Fact[] = [
		{ name: "agents", ...bounded(totals.agents, maxAgents), rank: 0 },
		{ name: "active", value: `${active}/${maxConcurrency}`, tone: "plain", rank: 3 },
		{ name: "depth", value: `${depth}/${maxDepth}`, tone: "plain", rank: 8 },
		{ name: "turns", ...bounded(totals.turns, maxTotalTurns), rank: 4 },
		tokensFact(totals, run.limits),
		{
			name: "time",
			value: `${wholeSeconds(elapsed)}/${limitTime(maxTimeMs)}`,
			tone: timeTone(elapsed, maxTimeMs),
			rank: 5,
		},
	];
	const cost = costFact(totals, run.limits);
	if (cost !== undefined) facts.splice(-1, 0, cost);
	if (run.refused > 0) facts.push({ name: "refused", value: String(run.refused), tone: "warn", rank: 2 });
	return facts;
}

function tokensFact({ usage }: Totals, { maxTokens }: Limits): Fact {
	const tokens = totalTokens(usage);
	if (maxTokens === undefined) return { name: "tokens", value: formatTokens(tokens), tone: "plain", rank: 7 };
	const value = `${formatTokens(tokens)} of ${formatTokens(maxTokens)}`;
	return { name: "tokens", value, tone: budgetTone(tokens, maxTokens), rank: 1 };
}

/** `$0.42 of $2`; undefined when nothing is or may be spent. */
function costFact({ costUsd }: Totals, { maxBudgetUsd }: Limits): Fact | undefined {
	if (maxBudgetUsd === undefined && costUsd === 0) return undefined;
	if (costUsd === null) return { name: "cost", value: "unknown", tone: "warn", rank: 6 };
	if (maxBudgetUsd === undefined) return { name: "cost", value: formatCost(costUsd), tone: "plain", rank: 6 };
	const value = `${formatDollars(costUsd)} of ${formatDollars(maxBudgetUsd)}`;
	return { name: "cost", value, tone: budgetTone(costUsd, maxBudgetUsd), rank: 0 };
}

/** From 80 % on the agents are told, too. */
function budgetTone(spent: number, most: number): Tone {
	return spent >= most ? "bad" : spent >= most * 0.8 ? "warn" : "plain";
}

function bounded(used: number, most: number): { value: string; tone: Tone } {
	return { value: `${used}/${most}`, tone: used >= most ? "warn" : "plain" };
}

function timeTone(elapsedMs: number, mostMs: number): Tone {
	return elapsedMs > mostMs * 0.9 ? "warn" : "plain";
}

/** `1h`, not `1h00m`. */
function limitTime(ms: number): string {
	return formatDuration(ms).replace(/h00m$/, "h").replace(/m00s$/, "m");
}

function wholeSeconds(ms: number): string {
	return ms < 1_000 ? "0s" : formatDuration(ms);
}

function factsLine(facts: readonly Fact[]): Line {
	return facts.flatMap(({ name, value, tone }) => [
		segment(`${BETWEEN.slice(1)}${name} `, "dim"),
		segment(value, tone),
		segment(BETWEEN.slice(1)),
	]);
}

export interface HintsScene {
	readonly run: RunState;
	readonly ui: UiState;
	readonly isLost: boolean;
	readonly isSuspended?: boolean;
	readonly now: number;
	readonly width: number;
}

/** The question, how the run ended, what holds it up, or the keys. */
export function hintsLine(scene: HintsScene): Line {
	const { run, ui, isLost, width } = scene;
	if (ui.overlay.is === "question") return questionLine(width);
	if (run.ended !== undefined) {
		const { ending, survivors } = run.ended;
		const left = survivors.length === 0 ? "" : ` (still alive: ${survivors.join(", ")})`;
		const text = ` run ended: ${cleanText(describeEnding(ending))}${left}`;
		return closing(text, ending.by === "answer" ? "good" : "bad", width);
	}
	if (isLost) return closing(" the run's supervisor is gone", "bad", width);
	if (run.stopping !== undefined) return closing(` the run is stopping: ${cleanText(run.stopping)}`, "warn", width);
	const notice = noticeOf(scene);
	return notice === undefined ? keysLine(ui, width) : noticeLine(notice, ui, width);
}

function noticeOf({ run, isSuspended, now }: HintsScene): string | undefined {
	if (isSuspended === true) return `suspended (to go on: kill -CONT ${run.pid}, or fg)`;
	const { slowed, shortages } = run;
	if (slowed !== undefined && slowed.until > now)
		return `no calls for ${formatWait(slowed.until - now)}: ${slowed.reason}; then ${slowed.maxCalls} at once`;
	const [shortage] = shortages;
	return shortage === undefined ? undefined : `short of ${shortage.what}: ${shortage.reason}`;
}

/** The last two keys, help and quit, stay beside it. */
function noticeLine(notice: string, ui: UiState, width: number): Line {
	const keys = keysLine(ui, 0);
	const room = Math.max(0, width - lineWidth(keys) - 1);
	return [segment(` ${fitWidth(oneLine(cleanText(notice)), Math.max(0, room - 1))} `, "warn"), ...keys];
}

function questionLine(width: number): Line {
	const long = " The run is alive.  Stop it: s   Leave it running: l   Stay: esc ";
	return [segment(width >= long.length ? long : " stop: s  leave running: l  stay: esc", "alert")];
}

/** However long the reason is, the way out stays visible. */
function closing(text: string, tone: Tone, width: number): Line {
	const way = " — q to close";
	const room = Math.max(0, width - way.length);
	const cut = text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text;
	return [segment(cut, tone), segment(way, "dim")];
}

/** What does not fit is left out from the left: help and quit stay. */
function keysLine(ui: UiState, width: number): Line {
	const hints = KEYS.filter((key) => key.hint !== undefined).map((key): Segment[] => {
		const isOn = key.action === "follow" && ui.follow.is === "on";
		return [
			segment(` ${key.label.split(" ")[0]} `, "strong"),
			segment(isOn ? "following" : (key.hint ?? ""), isOn ? "busy" : "dim"),
			segment(" "),
		];
	});
	while (hints.length > 2 && lineWidth(hints.flat()) > width) hints.shift();
	return hints.flat();
}
