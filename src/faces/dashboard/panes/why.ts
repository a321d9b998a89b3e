/** Why the selected agent has ended, or has not: the chain of causes, nearest first, as `agent why` tells it. */
import { type Agent, isOver } from "../../../core/model/agent.ts";
import { pauseOf } from "../../../core/run/pause.ts";
import { formatDuration } from "../../../text/durations.ts";
import { ordinal } from "../../../text/numbers.ts";
import { displayWidth } from "../../../text/width/width.ts";
import { wrapText } from "../../../text/width/wrap.ts";
import { type Line, type Size, segment } from "../../../tui/text/line.ts";
import { quietSince } from "../../../view/agents/activity.ts";
import type { Cause } from "../../../view/causes/cause.ts";
import { causesIn } from "../../../view/causes/causes.ts";
import { type Paragraph, whyOf, whyParagraphs } from "../../../view/causes/why.ts";
import { clockTime } from "../../../view/words/clock-time.ts";
import { type Pane, scrolledLines, scrollStep } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { agentTitle } from "./agent-actions.ts";

const NAME = "why";
/** Whoever stopped an agent did it within this time before its end. */
const STOPS_WITHIN_MS = 60_000;
/** A shorter silence of a model is nothing unusual. */
const QUIET_MS = 5_000;
const INDENT = "  ";

export const whyPane: Pane = {
	name: NAME,
	place: { is: "box", mostColumns: 104 },
	opener: {
		...{ action: "open", names: ["w"], opens: NAME },
		...{ label: "w", help: "why it ended, or is still running" },
	},
	title: (scene, size) => [segment(titleOf(scene, size), "heading")],
	lines: (scene, size) => scrolledLines(whyLines(scene, size.columns), scene.ui, size),
	act: (action, scene, size) => scrollStep(action, whyLines(scene, size.columns), scene.ui, size),
};

/** The keys stay visible. */
function titleOf(scene: Scene, size: Size): string {
	const hasMore = whyLines(scene, size.columns).length > size.rows;
	const long = `${questionOf(scene)} (${hasMore ? "↑↓ for more, " : ""}esc closes)`;
	return displayWidth(long) <= size.columns ? long : `Why ${scene.ui.selected}? (${hasMore ? "↑↓, " : ""}esc)`;
}

function questionOf(scene: Scene): string {
	const { run, ui } = scene;
	const agent = run.agents[ui.selected];
	const title = agentTitle(scene, ui.selected);
	if (agent === undefined) return `Why ${title} is missing`;
	if (isOver(agent)) return `Why ${title} has ended`;
	return `Why ${title} is ${pauseOf(agent) === undefined ? "not done" : "paused"}`;
}

/** What the lines were for a scene at some width: the title needs them, too. */
const known = new WeakMap<Scene, { readonly columns: number; readonly lines: Line[] }>();

function whyLines(scene: Scene, columns: number): Line[] {
	const before = known.get(scene);
	if (before?.columns === columns) return before.lines;
	const lines = newLines(scene, columns);
	known.set(scene, { columns, lines });
	return lines;
}

function newLines(scene: Scene, columns: number): Line[] {
	const { run, ui, view } = scene;
	const agent = view.agent(ui.selected);
	if (agent === undefined) return [[segment(`agent ${ui.selected} has not joined yet`)]];
	const paragraphs = whyParagraphs(whyOf(view, agent.id, causesNow(scene, agent.agent)), view);
	const chain = paragraphs.filter(({ isCause }) => isCause);
	const rest = paragraphs.slice(chain.length);
	const waits = meanwhile(agent.agent, scene).map((text) => ({ text, isCause: true }) as const);
	const lines = [...chain, ...waits, ...rest].flatMap((one, at) => paragraphLines(one, at === 0, columns));
	return isWhole(scene, agent.agent) ? lines : [...lines, [], ...note(run.run, agent.id, columns)];
}

function causesNow(scene: Scene, agent: Agent): Cause[] {
	const { run, events, isLost, isSuspended, now } = scene;
	const causes = causesIn({ events, run, isSupervised: !isLost }, agent.id);
	if (!isWhole(scene, agent)) return causes.slice(0, 1).map(withoutGuess);
	if (isOver(agent) || isSuspended !== true) return causes;
	return [{ is: "supervisor_suspended", at: now, pid: run.pid }, ...causes];
}

/** What the agent waits for that no event tells. */
function meanwhile(agent: Agent, { activity, now }: Scene): string[] {
	const { id, state } = agent;
	const place = activity.places.get(id);
	if (state.is === "queued" && place !== undefined)
		return [`it is ${ordinal(place)} of ${activity.queued} in the queue`];
	if (state.is !== "thinking" || (state.retry?.nextAt ?? 0) > now) return [];
	const held = activity.heldSince.get(id);
	if (held !== undefined) return [`its call has been waiting for the service since ${clockTime(held)}`];
	const quietMs = now - (quietSince(agent, activity) ?? now);
	return quietMs < QUIET_MS ? [] : [`no token received for ${formatDuration(quietMs)}`];
}

/** Who sent a signal is not known without all that was written down before. */
function withoutGuess(cause: Cause): Cause {
	if (cause.is !== "ended") return cause;
	const { isFromOutside: _, ...rest } = cause;
	return rest;
}

/** Whether the events go back far enough to tell why the agent has ended. What a living one does needs none. */
function isWhole({ events, run }: Scene, agent: Agent): boolean {
	if (!isOver(agent)) return true;
	const [first] = events;
	return first !== undefined && first.at <= Math.max(agent.joinedAt, run.startedAt, agent.state.at - STOPS_WITHIN_MS);
}

function paragraphLines(paragraph: Paragraph, isFirst: boolean, columns: number): Line[] {
	const { text, tone = "plain", isCause, isLine, isIndented } = paragraph;
	const indent = isIndented ? INDENT.repeat(2) : INDENT;
	const rows = isLine || text === "" ? [text] : wrapText(text, columns - indent.length);
	return rows.map((row, at) => [
		segment(isCause && at === 0 && !isFirst ? "↳ " : indent, "dim"),
		segment(row, isFirst ? "strong" : tone),
	]);
}

function note(run: string, agent: string, columns: number): Line[] {
	const text = `the cause is not among the recent events; for the full log: agent why ${run}/${agent}`;
	return wrapText(text, columns).map((row) => [segment(row, "dim")]);
}
