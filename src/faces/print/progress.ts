/** The events of a run as lines: of a log, and of the progress of a run without a dashboard. */

import { countDoings } from "../../core/doing.ts";
import { type AgentId, depthOf, parentOf, ROOT } from "../../core/model/agent.ts";
import { textOf } from "../../core/model/message.ts";
import { foldedMiddle } from "../../core/preview.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import { type RunState, totalsOf } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { TranscriptEntry } from "../../core/schemas/transcript.ts";
import { formatCost } from "../../text/numbers.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { fitWidth } from "../../text/width/width.ts";
import { agentNames } from "../../view/agents/agent-names.ts";
import { describeCounts, headline } from "../../view/agents/doing-now.ts";
import { after, isSmallerContext } from "../../view/events/agent-meanings.ts";
import { type EventFacts, EventFactsBuilder } from "../../view/events/event-facts.ts";
import { meaningOf, newsText, subjectOf } from "../../view/events/meanings.ts";
import { clockTime, shortTime } from "../../view/words/clock-time.ts";
import type { Paint } from "./paint.ts";

/** `none`: only what nobody may miss. `trouble`: only that a run takes long, and why, that an agent cannot ask, and that a context is smaller than was known; for a stderr that is read later or never. */
export type ProgressLevel = "none" | "trouble" | "main" | "all";

export interface Progress {
	/** `run`: after the event. */
	onEvent(event: RunEvent, run: RunState): void;
	onRecord(agent: AgentId, entry: TranscriptEntry): void;
}

/** `say` gets one line, safe for a terminal, with colors where `view` has some. */
export function createProgress(level: ProgressLevel, say: (line: string) => void, view: EventLinesView): Progress {
	switch (level) {
		case "none":
			return {
				onEvent: (event) => (isDoubtful(event) ? say(new EventLines(view).line(event)) : undefined),
				onRecord: () => {},
			};
		case "main": {
			const lines = new ProgressLines(view);
			const onEvent = (event: RunEvent, run: RunState) => {
				const line = lines.line(event, run);
				if (line !== undefined) say(line);
			};
			return { onEvent, onRecord: (agent, entry) => lines.onRecord(agent, entry) };
		}
		case "trouble":
		case "all": {
			const lines = new EventLines(view);
			const isSaid = level === "all" ? () => true : createTroubleFilter();
			const onEvent = (event: RunEvent) => {
				const line = lines.line(event);
				if (isSaid(event)) say(line);
			};
			return { onEvent, onRecord: () => {} };
		}
	}
}

/** A file that other programs run may have been changed by a command. */
const isDoubtful = (event: RunEvent) =>
	event.event === "place_replaced" && (event.outcome === "put_back" || event.outcome === "changed");

const TROUBLE_AFTER_MS = 60_000;
const TROUBLE_EVERY_MS = 60_000;

/** A call that has been breaking for a minute is told, then at most once a minute for the whole run. */
function createTroubleFilter(): (event: RunEvent) => boolean {
	const breakingSince = new Map<AgentId, number>();
	let saidAt = Number.NEGATIVE_INFINITY;
	let isUnaskedSaid = false;
	let isContextSaid = false;
	return (event) => {
		if (isDoubtful(event)) return true;
		if (event.event === "agent_ended") breakingSince.delete(event.agent);
		if (event.event === "question_refused") {
			const isFirst = !isUnaskedSaid;
			isUnaskedSaid = true;
			return isFirst;
		}
		if (event.event === "agent_changed") {
			const isNews = isSmallerContext(event) && !isContextSaid; // each agent finds it out by itself
			isContextSaid ||= isNews;
			return isNews;
		}
		if (event.event !== "turn_retrying") return false;
		const { agent, at, attempt } = event;
		const since = attempt === 1 ? at : (breakingSince.get(agent) ?? at);
		breakingSince.set(agent, since);
		if (at - since < TROUBLE_AFTER_MS || Math.abs(at - saidAt) < TROUBLE_EVERY_MS) return false;
		saidAt = at;
		return true;
	};
}

/** What a run does, as lines for who watches it: indented as deep as the agent lies, with its name, cut to the terminal. */

const INDENT = "  ";
/** A name is made of so many siblings: among thousands, which join one by one, it would be made thousands of times. */
const MOST_SIBLINGS = 20;
const MAX_WORDS = 1_000;

/** Needs all events of a run in order, and the records of its agents. */
export class ProgressLines {
	private readonly view: EventLinesView;
	private readonly facts = new EventFactsBuilder();
	private readonly said = new Map<AgentId, string>();

	constructor(view: EventLinesView) {
		this.view = view;
	}

	onRecord(agent: AgentId, entry: TranscriptEntry): void {
		const words = entry.role === "assistant" ? headline(textOf(entry.content)) : "";
		if (words !== "") this.said.set(agent, words);
	}

	/** `run`: after the event. Undefined for an event that is not told. */
	line(event: RunEvent, run: RunState): string | undefined {
		const words = this.words(event, this.facts.note(event), run);
		if (event.event === "agent_ended") this.said.delete(event.agent);
		if (words === undefined) return undefined;
		const agent = subjectOf(event) ?? ROOT;
		const head = `${shortTime(event.at)}  ${INDENT.repeat(depthOf(agent))}${whoOf(event, run)}`;
		return this.shown(head, `${words.startsWith("$ ") ? " " : ": "}${oneLine(words)}`, event);
	}

	private words(event: RunEvent, facts: EventFacts, run: RunState): string | undefined {
		const meaning = meaningOf(event, facts);
		const { news } = meaning;
		if (news === undefined || news === "conversation" || isToldOtherwise(event)) return undefined;
		if (event.event === "run_ended") return `ended${after(facts)}: ${totalsWords(run)}`;
		const said = event.event === "agent_ended" && event.ending.by === "answer" ? this.said.get(event.agent) : undefined;
		return said === undefined ? newsText(meaning) : `${newsText(meaning)}: ${said}`;
	}

	private shown(head: string, words: string, event: RunEvent): string {
		const { paint } = this.view;
		const columns = this.view.columns();
		const line = `${head}${foldedMiddle(words, MAX_WORDS)}`;
		const cut = columns === undefined ? line : fitWidth(line, columns);
		return `${cut.slice(0, head.length)}${paint.tone(cut.slice(head.length), meaningOf(event).tone)}`;
	}
}

/** `run`, `1.3.1 piece 7`; the first line of an agent has its task. */
function whoOf(event: RunEvent, run: RunState): string {
	const agent = subjectOf(event);
	if (agent === undefined) return "run";
	const isNamed = agent !== ROOT && event.event !== "agent_joined";
	return isNamed ? `${agent} ${nameOf(agent, run)}`.trimEnd() : agent;
}

function nameOf(id: AgentId, { agents }: RunState): string {
	const siblings = [...branchOf(agents, parentOf(id) ?? "").children].filter((child) => child !== id);
	const known = [id, ...siblings.slice(-MOST_SIBLINGS)].flatMap((child) => agents[child] ?? []);
	return agentNames(known).get(id) ?? "";
}

/** A call that breaks, and is made again at once, is no news: the waits grow. */
const LEAST_WAIT_MS = 5_000;

/** WaitingNotices tell what is asked, at any level. */
function isToldOtherwise(event: RunEvent): boolean {
	return event.event === "question_asked" || (event.event === "turn_retrying" && event.waitMs < LEAST_WAIT_MS);
}

/** `1 failed, 10 answered; $0.42`. */
function totalsWords({ agents }: RunState): string {
	const all = Object.values(agents);
	const { costUsd } = totalsOf(all);
	return `${describeCounts(countDoings(all))}${costUsd === 0 ? "" : `; ${formatCost(costUsd)}`}`;
}

/** The events of a run as lines of a log: one each, with how long that took, cut to the terminal. */

const MAX_LINE = 2_000;

export interface EventLinesView {
	readonly paint: Paint;
	/** The width of the terminal now; undefined: lines are whole. */
	readonly columns: () => number | undefined;
}

/** Needs all events of a run in order, since what begins with one ends with another. */
export class EventLines {
	private readonly facts = new EventFactsBuilder();
	private readonly view: EventLinesView;

	constructor(view: EventLinesView) {
		this.view = view;
	}

	/** `20:15:30.123  1.2     turn 3 ended after 12s: tool_use, 1.2k in / 80 out, $0.0100`. The time is local. */
	line(event: RunEvent): string {
		const { paint } = this.view;
		const columns = this.view.columns();
		const { text, tone } = meaningOf(event, this.facts.note(event));
		const head = `${clockTime(event.at)}  ${(subjectOf(event) ?? "run").padEnd(6)}  `;
		const whole = `${head}${foldedMiddle(oneLine(text), MAX_LINE)}`;
		const cut = columns === undefined ? whole : fitWidth(whole, columns);
		return `${cut.slice(0, head.length)}${paint.tone(cut.slice(head.length), tone)}`;
	}
}
