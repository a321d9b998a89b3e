/** The lines above the panes: which run it is, how many agents do what, what it has used of its limits; and the title of the window. */

import { DOINGS, type Doing, type DoingCounts } from "../../../core/doing.ts";
import type { Limits } from "../../../core/limits/limits.ts";
import { ROOT } from "../../../core/model/agent.ts";
import { totalTokens } from "../../../core/model/usage.ts";
import { shortRunId } from "../../../core/run/run-id.ts";
import type { RunState, Totals } from "../../../core/run/run-state.ts";
import { totalsWithin } from "../../../core/run/spending.ts";
import { factsOf } from "../../../models/catalogue.ts";
import { formatElapsed } from "../../../text/durations.ts";
import { formatDefaultLimit } from "../../../text/limits.ts";
import { counted, formatCost, formatDollars, formatTokens } from "../../../text/numbers.ts";
import { cleanText, firstLine } from "../../../text/safe/terminal-safe.ts";
import { padWidth } from "../../../text/width/width.ts";
import { fitLine, type Line, lineWidth, segment } from "../../../tui/text/line.ts";
import { treeOf } from "../../../view/agents/agent-tree.ts";
import { doingWord } from "../../../view/agents/doing-now.ts";
import { limitTone, nearLimits, timeUsedMs } from "../../../view/agents/run-limits.ts";
import { SKIPPED_PERMISSIONS } from "../../../view/words/sandbox.ts";
import { formatUsedTokens } from "../../../view/words/usage.ts";
import type { Picture, Scene } from "../scene/scene.ts";
import { MARKS } from "./agent-mark.ts";

/** `rows`: 2, or 1 where room is short: then what is the same all the time is left out; one more where nothing, or no sandbox, guards the machine. */
export function headerLines(scene: Scene, columns: number, rows: number): Line[] {
	const lines = [identityLine(scene, columns), factsLine(scene, columns)];
	const warning = warningLine(scene.run, columns);
	if (warning === undefined) return lines.slice(-rows);
	return [warning, ...(rows > 1 ? lines.slice(1 - rows) : [])];
}

function warningLine({ skipsPermissions, noSandbox }: RunState, columns: number): Line | undefined {
	if (skipsPermissions) return skippedLine(columns);
	if (noSandbox === undefined) return undefined;
	return fitLine([segment(` no sandbox: ${firstLine(cleanText(noSandbox))}`, "warn")], columns);
}

/** The longest that fits. */
function skippedLine(columns: number): Line {
	const texts = SKIPPED_PERMISSIONS.map((text) => ` ${text} `);
	return [segment(padWidth(texts.find((text) => text.length <= columns) ?? texts.at(-1) ?? "", columns), "danger")];
}

function identityLine({ run, now }: Scene, columns: number): Line {
	const model = cleanText(factsOf(run.model).shortName);
	const right: Line = [segment(`  ${model}  `, "dim"), ...timeSegments(run, now)];
	const left: Line = [
		segment(" agentree", "strong"),
		segment(` ${cleanText(shortRunId(run.run))}  `, "dim"),
		segment(firstLine(cleanText(run.task))),
	];
	const room = columns - lineWidth(right) - 1;
	return room < lineWidth(left.slice(0, 2)) + 10 ? fitLine(left, columns) : [...fitLine(left, room), ...right];
}

/** `2m05s of 1h`, of a conversation the time that its root has worked; of a run that has ended, how long it took. */
function timeSegments(run: RunState, now: number): Line {
	const { startedAt, ended, limits } = run;
	if (ended !== undefined) return [segment(formatElapsed(Math.max(0, ended.at - startedAt)))];
	const used = timeUsedMs(run, now);
	const most = formatDefaultLimit("time", limits.maxTimeMs);
	return [segment(formatElapsed(used), limitTone(used / limits.maxTimeMs)), segment(` of ${most}`, "dim")];
}

const BAR_CELLS = 8;

interface Fact {
	readonly line: Line;
	/** The fact with the highest rank is left out first; one of rank 0 never. */
	readonly rank: number;
}

/** Words are left out of the counts before a fact is. */
function factsLine(scene: Scene, columns: number): Line {
	const counts = treeOf(scene.run.agents).counts;
	let others = factsAfterCounts(scene, counts);
	const ranks = [...new Set(others.map(({ rank }) => rank))].sort((a, b) => b - a);
	for (const rank of [Number.POSITIVE_INFINITY, ...ranks]) {
		if (rank > 0) others = others.filter((fact) => fact.rank < rank);
		for (const words of WORDINGS) {
			const line = joined([countsSegments(counts, words), ...others.map((fact) => fact.line)]);
			if (lineWidth(line) <= columns) return line;
		}
	}
	return joined([countsSegments(counts, []), ...others.map((fact) => fact.line)]);
}

function joined(parts: readonly Line[]): Line {
	return parts.flatMap((part, index) => (index === 0 ? [segment(" "), ...part] : [segment(" │ ", "dim"), ...part]));
}

/** Which of the counts have words beside their marks; with less room fewer. */
const WORDINGS: readonly (readonly Doing[])[] = [
	DOINGS.filter((doing) => doing !== "answered"),
	["asking", "queued", "listening", "paused", "failed"],
	["asking", "failed"],
	[],
];

/** `●9 running ◆6 thinking ✓13 ✗6 failed`. */
function countsSegments(counts: DoingCounts, words: readonly Doing[]): Line {
	const shown = DOINGS.filter((doing) => counts[doing] > 0);
	return shown.flatMap((doing, index) => {
		const { glyph, tone } = MARKS[doing];
		const word = words.includes(doing) ? ` ${doingWord(doing)}` : "";
		return [segment(`${index === 0 ? "" : " "}${glyph}${counts[doing]}`, tone), segment(word, "dim")];
	});
}

function factsAfterCounts({ run, now }: Scene, counts: DoingCounts): Fact[] {
	const totals = totalsWithin(run, ROOT);
	const { maxConcurrency } = run.limits;
	const active = counts.running + counts.thinking + counts.retrying;
	const slots: Fact = { line: [segment("slots ", "dim"), segment(`${active}/${maxConcurrency}`)], rank: 5 };
	return [
		...(run.ended === undefined ? [slots] : []),
		...costFact(totals, run.limits.maxBudgetUsd),
		...tokensFact(totals, run.limits.maxTokens),
		...nearFacts(run, now),
		...(run.refused > 0 ? [{ line: [segment(`${run.refused} refused`, "warn")], rank: 3 }] : []),
	];
}

/** `60 of 64 agents`, once most of them are used; of what always stands here, no more is said. */
function nearFacts(run: RunState, now: number): Fact[] {
	return nearLimits(run, now)
		.filter(({ limit }) => !ALWAYS_SHOWN.includes(limit))
		.map(({ text, tone }) => ({ line: [segment(text, tone)], rank: 2 }));
}

const ALWAYS_SHOWN: readonly (keyof Limits)[] = ["maxBudgetUsd", "maxTokens", "maxTimeMs"];

/** `$0.42 ▓▓░░░░░░ $2`; none when nothing is or may be spent. */
function costFact({ costUsd }: Totals, most: number | undefined): Fact[] {
	if (most === undefined && costUsd === 0) return [];
	if (costUsd === null) return [{ line: [segment("cost unknown", "warn")], rank: 1 }];
	if (most === undefined) return [{ line: [segment(formatCost(costUsd))], rank: 4 }];
	return [{ line: spentOf(costUsd, most, formatDollars), rank: 0 }];
}

/** `164k tok, 27% cached`, or `164k ▓▓░░░░░░ 1.0M tok`; none when no call was made. */
function tokensFact({ usage }: Totals, most: number | undefined): Fact[] {
	const tokens = totalTokens(usage);
	if (most !== undefined) return [{ line: [...spentOf(tokens, most, formatTokens), segment(" tok", "dim")], rank: 1 }];
	if (tokens === 0 && usage.uncounted === undefined) return [];
	const into = tokens - usage.output;
	const cached = into === 0 ? 0 : Math.round((usage.cacheRead / into) * 100);
	const share = cached === 0 ? "" : `, ${cached}% cached`;
	return [{ line: [segment(formatUsedTokens(usage)), segment(` tok${share}`, "dim")], rank: 6 }];
}

function spentOf(spent: number, most: number, format: (amount: number) => string): Line {
	const cells = Math.min(BAR_CELLS, Math.ceil((spent / most) * BAR_CELLS));
	const tone = limitTone(spent / most);
	return [
		segment(`${format(spent)} `, tone),
		segment("▓".repeat(cells), tone === "plain" ? "busy" : tone),
		segment("░".repeat(BAR_CELLS - cells), "dim"),
		segment(` ${format(most)}`, "dim"),
	];
}

/** What the window's title says of a run, for who looks at other windows: pure. */

/** `agentree e380 running 9, 2 failed`. Empty while nothing is known of the run. */
export function windowTitle(picture: Pick<Picture, "run" | "isLost" | "isSuspended">): string {
	const { run } = picture;
	if (run.run === "") return "";
	const { failed, paused } = treeOf(run.agents).counts;
	const parts = [stateOf(picture)];
	const { questions = [] } = run;
	if (questions.length > 0) parts.push(counted(questions.length, "question"));
	if (paused > 0) parts.push(`${paused} paused`);
	if (failed > 0) parts.push(`${failed} failed`);
	return `agentree ${shortRunId(run.run)} ${parts.join(", ")}`;
}

function stateOf({ run, isLost, isSuspended }: Pick<Picture, "run" | "isLost" | "isSuspended">): string {
	const { running, thinking, retrying } = treeOf(run.agents).counts;
	if (run.ended !== undefined) return "ended";
	if (isLost) return "lost";
	if (isSuspended === true) return "suspended";
	return `${run.stopping === undefined ? "running" : "stopping"} ${running + thinking + retrying}`;
}

/** What a person is to be told who looks elsewhere: an agent asks them, or the run has ended by itself. Once for each. */
export function noticeOf(before: Picture, after: Picture): string | undefined {
	const isNew = before.run.run !== "" && (after.run.questionsAsked ?? 0) > (before.run.questionsAsked ?? 0);
	if (isNew) return "an agent has a question for you";
	return hasEndedByItself(before, after) ? "the run has ended" : undefined;
}

/** The run has ended by itself: who has ended it, here or elsewhere, knows that. */
function hasEndedByItself(before: Picture, after: Picture): boolean {
	const { ended } = after.run;
	if (ended === undefined || before.run.ended !== undefined || before.run.run === "") return false;
	return after.isStopAsked !== true && ended.ending.by !== "stopped" && ended.ending.by !== "killed";
}
