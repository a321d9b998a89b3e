/** An agent as a line of the tree. */
import type { Agent, Ending } from "../../core/agent.ts";
import { describeEnding, retryWait } from "../../text/states.ts";
import { cleanText, firstLine } from "../../text/terminal-safe.ts";
import { displayWidth, padWidth } from "../../text/width.ts";
import { type AgentHistory, lastWords } from "../scene/agent-history.ts";
import { fitLine, type Line, type Segment, segment } from "../scene/line.ts";
import type { Scene } from "../scene/scene.ts";
import type { TreeRow } from "../scene/tree-rows.ts";
import { glyphOf, toneOf } from "./agent-mark.ts";
import { type TreeLayout, treeText } from "./tree-columns.ts";

export function agentLine(row: TreeRow, layout: TreeLayout, scene: Scene): Line {
	const { agent, lines, hidden } = row;
	const tone = toneOf(agent.state);
	const missing = displayWidth(treeText(row)) - layout.treeWidth;
	// In a tree that is too deep for its column the tree lines are cut before the id, and the id is cut at its beginning.
	const shown = missing > 0 ? `…${lines.slice(missing + 1)}` : lines;
	const idMissing = missing - Math.max(0, lines.length - 1);
	const id = idMissing > 0 ? `…${agent.id.slice(idMissing + 1)}` : agent.id;
	const tree = [segment(" "), segment(shown, "dim"), segment(`${glyphOf(agent.state)} `, tone), segment(id)];
	if (hidden > 0) tree.push(segment(` +${hidden}`, "warn"));
	const line: Segment[] = [...fitLine(tree, layout.treeWidth)];
	for (const column of layout.columns) {
		const { text, tone: columnTone } = column.show(agent, scene.now);
		line.push(segment(" "), segment(padWidth(text, column.width, column.toRight), columnTone));
	}
	if (layout.nowWidth > 0) line.push(segment(" "), ...repeatMark(agent), doesNow(agent, scene));
	return line;
}

function repeatMark(agent: Agent): Segment[] {
	const isShown = agent.repeats !== undefined && agent.state.is !== "ended";
	return isShown ? [segment(`↻${agent.repeats} repeats `, "warn")] : [];
}

/** What the agent does now; else why it ended, or its task. */
function doesNow(agent: Agent, { history, now }: Scene): Segment {
	const retry = retryWait(agent.state, now);
	// How often it was tried is in the title of its history.
	if (retry !== undefined) return segment(cleanText(retry.replace(/^retrying \w+ time /, "")), "warn");
	const command = agent.running[0];
	if (command !== undefined) {
		const more = agent.running.length > 1 ? ` (+${agent.running.length - 1})` : "";
		return segment(`$ ${firstLine(cleanText(command.text))}${more}`);
	}
	const words = agent.state.is === "thinking" && history.agent === agent.id ? lastLine(history) : "";
	if (words !== "") return segment(words);
	if (agent.state.is === "thinking" && agent.state.purpose === "compaction")
		return segment("summarises older rounds", "calm");
	if (agent.state.is === "ended" && agent.state.ending.by !== "answer")
		return segment(endingWords(agent.state.ending), "dim");
	return segment(firstLine(cleanText(agent.task)), "dim");
}

/** The ending in words, without its class, which the state column has. */
function endingWords(ending: Ending): string {
	return "reason" in ending ? firstLine(cleanText(ending.reason)) : describeEnding(ending);
}

/** The last line so far of the answer that streams. */
function lastLine(history: AgentHistory): string {
	const lines = cleanText(lastWords(history)).split("\n");
	return firstLine(lines.findLast((line) => line.trim() !== "") ?? "");
}
