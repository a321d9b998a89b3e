/** What a run does, as lines for who watches it: indented as deep as the agent lies, with its name, cut to the terminal. */
import { type AgentId, depthOf, parentOf, ROOT } from "../../core/agent.ts";
import { branchOf } from "../../core/agent-index.ts";
import { textOf } from "../../core/message.ts";
import { foldedMiddle } from "../../core/preview.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { RunState } from "../../core/run-state.ts";
import type { TranscriptEntry } from "../../core/transcript.ts";
import { shortTime } from "../../events/clock-time.ts";
import { EventFactsBuilder } from "../../events/event-facts.ts";
import { subjectOf } from "../../events/event-text.ts";
import { troubleOf } from "../../events/event-trouble.ts";
import { agentNames } from "../../text/agent-names.ts";
import { headline } from "../../text/now.ts";
import { oneLine } from "../../text/terminal-safe.ts";
import { fitWidth } from "../../text/width.ts";
import type { EventLinesView } from "./event-lines.ts";
import { progressWords } from "./progress-words.ts";

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
		const said = (agent: AgentId) => this.said.get(agent) ?? "";
		const words = progressWords(event, { ...this.facts.note(event), run, said });
		if (event.event === "agent_ended") this.said.delete(event.agent);
		if (words === undefined) return undefined;
		const agent = subjectOf(event) ?? ROOT;
		const head = `${shortTime(event.at)}  ${INDENT.repeat(depthOf(agent))}${whoOf(event, run)}`;
		return this.shown(head, `${words.startsWith("$ ") ? " " : ": "}${oneLine(words)}`, event);
	}

	private shown(head: string, words: string, event: RunEvent): string {
		const { paint } = this.view;
		const columns = this.view.columns();
		const line = `${head}${foldedMiddle(words, MAX_WORDS)}`;
		const cut = columns === undefined ? line : fitWidth(line, columns);
		return `${cut.slice(0, head.length)}${paint.tone(cut.slice(head.length), troubleOf(event))}`;
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
