/** The lines above a transcript: the facts about its agent, and its children. Pure. */
import { type Agent, type AgentId, isOver, parentOf } from "../../core/model/agent.ts";
import { agentsInOrder, type RunState } from "../../core/run/run-state.ts";
import type { AgentFile } from "../../core/schemas/run-files.ts";
import { wholeEnding } from "../../text/describe-ending.ts";
import { formatDuration } from "../../text/durations.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { fitWidth } from "../../text/width/width.ts";
import { type AgentFact, limitFacts, originFacts, placeFacts, standingFacts } from "../../view/agents/agent-facts.ts";
import { ageOf, doingLine } from "../../view/agents/doing-now.ts";
import { RunView } from "../../view/agents/run-view.ts";
import { rowsOf } from "./rows.ts";
import { quoted, type TranscriptView } from "./transcript-lines.ts";

const LABEL_COLUMNS = 8;
const CAUSE_INDENT = "      ";

/** The width of the terminal, if there is one: only paths are not broken there. `isWhole`: nothing is left out. */
export interface HeaderView extends Pick<TranscriptView, "paint" | "columns" | "now" | "isWhole"> {
	/** The run's directory. */
	readonly directory: string;
}

/** The header, with the whole task below it. The event log may not know the agent: then its state is not known. */
export function headerLines(file: AgentFile, run: RunState, view: HeaderView): string[] {
	const { paint, now, columns, isWhole, directory } = view;
	const agent = new RunView({ run, now }).agent(file.agent);
	const files = { file, directory, isWhole };
	const facts = [
		...placeFacts(run, file.agent, files),
		...originFacts(agent, files),
		...limitFacts({ id: file.agent, limits: file.limits }, isWhole),
		...(agent === undefined ? [{ name: "state", text: "unknown" }] : standingFacts(run, agent)),
	];
	const title = paint.bold(`agent ${oneLine(file.agent)} of run ${oneLine(file.run)}`);
	return [title, ...factRows(facts, columns), "", ...quoted(file.task, view)];
}

/** As wide as the terminal. */
export function factRows(facts: readonly AgentFact[], columns: number | undefined): string[] {
	return facts.flatMap(({ name, text, isPath }) => {
		const first = name.padEnd(LABEL_COLUMNS);
		return isPath ? [`${first}${text}`] : rowsOf(text, { columns, first });
	});
}

/**
 * For each child a line with the ref to show it, its state, how long it took, the command that has started it, and its task;
 * below it the whole cause of one that did not answer.
 */
export function childrenLines(state: RunState, parent: AgentId, { paint, now, columns }: HeaderView): string[] {
	const children = agentsInOrder(state).filter((agent) => parentOf(agent.id) === parent);
	if (children.length === 0) return [];
	const lines = children.flatMap((child) => {
		const by = child.command === undefined ? "" : `, by command ${child.command}`;
		const line = `  ${oneLine(state.run)}/${child.id}  ${howItStands(child, now)}${by}: ${firstLine(child.task)}`;
		const cause = isOver(child) && child.state.ending.by !== "answer" ? wholeEnding(child.state.ending) : "";
		return [
			columns === undefined ? line : fitWidth(line, columns),
			...rowsOf(cause, { columns, first: CAUSE_INDENT }).map(paint.red),
		];
	});
	return ["", "children", ...lines];
}

/** `answer, took 7s`; the state of a living one has its time already. */
function howItStands(agent: Agent, now: number): string {
	return isOver(agent)
		? `${agent.state.ending.by}, took ${formatDuration(ageOf(agent, now))}`
		: doingLine(agent, { now });
}
