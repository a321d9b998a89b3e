/** The last two lines: totals against limits, and what can be done now. */
import { depthOf } from "../core/agent.ts";
import { describeEnding, formatCost, formatDuration, formatTokens } from "../core/format.ts";
import { totalTokens } from "../core/model.ts";
import { type RunState, totalsOf } from "../core/run-state.ts";
import { KEYS } from "./keys.ts";
import { cleanText, type Line, lineWidth, type Segment, segment, type Tone } from "./styled.ts";
import type { UiState } from "./ui-state.ts";

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
		{ name: "active", value: `${active}/${maxConcurrency}`, tone: "plain", rank: 2 },
		{ name: "depth", value: `${depth}/${maxDepth}`, tone: "plain", rank: 7 },
		{ name: "turns", ...bounded(totals.turns, maxTotalTurns), rank: 3 },
		{ name: "tokens", value: formatTokens(totalTokens(totals.usage)), tone: "plain", rank: 6 },
		{
			name: "time",
			value: `${wholeSeconds(elapsed)}/${limitTime(maxTimeMs)}`,
			tone: timeTone(elapsed, maxTimeMs),
			rank: 4,
		},
	];
	if (totals.costUsd !== 0)
		facts.splice(-1, 0, { name: "cost", value: formatCost(totals.costUsd), tone: "plain", rank: 5 });
	if (run.refused > 0) facts.push({ name: "refused", value: String(run.refused), tone: "warn", rank: 1 });
	return facts;
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
	readonly width: number;
}

/** The question, how the run ended, or the keys. */
export function hintsLine({ run, ui, isLost, width }: HintsScene): Line {
	if (ui.overlay.is === "question") return questionLine(width);
	if (run.ended !== undefined) {
		const { ending, survivors } = run.ended;
		const left = survivors.length === 0 ? "" : ` (still alive: ${survivors.join(", ")})`;
		const text = ` run ended: ${cleanText(describeEnding(ending))}${left}`;
		return closing(text, ending.by === "answer" ? "good" : "bad", width);
	}
	if (isLost) return closing(" the run's supervisor is gone", "bad", width);
	if (run.stopping !== undefined) return closing(` the run is stopping: ${cleanText(run.stopping)}`, "warn", width);
	return keysLine(ui, width);
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
