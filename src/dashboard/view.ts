/** The whole screen as styled lines: pure, from the run, what the person chose, the size and the time. */
import { describeState, firstLine, formatCost, formatTokens } from "../core/format.ts";
import { totalTokens } from "../core/model.ts";
import type { RunState } from "../core/run-state.ts";
import { historyBlocks } from "./blocks.ts";
import { hintsLine, totalsLine } from "./footer.ts";
import { helpBox } from "./help.ts";
import { type AgentHistory, lastWords } from "./history.ts";
import { type HistoryPane, hasMoreBelow, historyLines } from "./history-pane.ts";
import { type Layout, layOut, SEPARATOR } from "./layout.ts";
import { cleanText, fitLine, fitLines, type Line, lineWidth, type Size, segment } from "./styled.ts";
import { childrenOf, treeRows, visibleRowOf } from "./tree.ts";
import { treePane } from "./tree-pane.ts";
import type { Scene, UiState } from "./ui-state.ts";

export interface Picture {
	readonly run: RunState;
	readonly ui: UiState;
	/** Of the selected agent. */
	readonly history: AgentHistory;
	readonly isLost: boolean;
	readonly size: Size;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/** Exactly `size.rows` lines of exactly `size.columns` columns. */
export function view(picture: Picture): Line[] {
	const { run, ui, isLost, size, now } = picture;
	const layout = layOut(size);
	const panes = fitLines(panesOf(picture, layout), layout.paneHeight + 1);
	const header = layout.hasHeader ? [headerLine(run), [segment("─".repeat(size.columns), "dim")]] : [];
	const body = [...header, ...panes].map((line) => fitLine(line, size.columns));
	const shown = ui.overlay.is === "help" ? withHelp(body, size.columns, ui.overlay.top) : body;
	const footer = [totalsLine(run, now, size.columns), hintsLine({ run, ui, isLost, width: size.columns })];
	const lines = [...shown, ...footer.map((line) => fitLine(line, size.columns))];
	return lines.slice(Math.max(0, lines.length - size.rows));
}

/** What the keys act on: the same rows and the same pane that are shown. */
export function sceneOf(picture: Picture): Scene {
	const { run, ui, isLost, size } = picture;
	return {
		rows: treeRows(run, ui.folded),
		history: historyPaneOf(picture, layOut(size)),
		isOver: isLost || run.ended !== undefined,
	};
}

function historyPaneOf({ run, history, now }: Picture, layout: Layout): HistoryPane {
	const children = childrenOf(run).get(history.agent) ?? [];
	const blocks = historyBlocks(history, { agent: run.agents[history.agent], children, now });
	return { blocks, width: layout.historyWidth, height: layout.paneHeight };
}

function headerLine({ run, model, task }: RunState): Line {
	return [
		segment(" agentree", "strong"),
		segment(`  ${run}  ${cleanText(shortModel(model))}  `, "dim"),
		segment(firstLine(cleanText(task))),
	];
}

/** A script by the name of its file: where it lies is in `agent show`. */
function shortModel(model: string): string {
	return model.startsWith("script:")
		? `script:${model.slice(model.lastIndexOf("/") + 1).replace(/^script:/, "")}`
		: model;
}

function panesOf(picture: Picture, layout: Layout): Line[] {
	const { ui } = picture;
	if (layout.isNarrow) return ui.pane === "tree" ? treeLines(picture, layout) : historyPaneLines(picture, layout);
	const tree = fitLines(treeLines(picture, layout), layout.paneHeight + 1);
	const history = fitLines(historyPaneLines(picture, layout), layout.paneHeight + 1);
	return tree.map((line, row) => [
		...fitLine(line, layout.treeWidth),
		segment(SEPARATOR, "dim"),
		...(history[row] ?? []),
	]);
}

function treeLines({ run, ui, history, now }: Picture, layout: Layout): Line[] {
	const rows = treeRows(run, ui.folded);
	return treePane({
		rows,
		selected: visibleRowOf(rows, ui.selected),
		width: layout.treeWidth,
		height: layout.paneHeight,
		now,
		lastWords: { agent: history.agent, text: lastLineOf(lastWords(history)) },
	});
}

function lastLineOf(text: string): string {
	const lines = cleanText(text).split("\n");
	return firstLine(lines.findLast((line) => line.trim() !== "") ?? "");
}

function historyPaneLines(picture: Picture, layout: Layout): Line[] {
	const { ui } = picture;
	const pane = historyPaneOf(picture, layout);
	const more = hasMoreBelow(pane, ui.scroll) ? [segment(" ↓ more ", "warn")] : [];
	const titleWidth = pane.width - lineWidth(more);
	const title = fitLine(titleLine(picture, titleWidth), titleWidth);
	return [[...title, ...more], ...historyLines(pane, ui.scroll)];
}

/** Who it is and what it does; then as many of the other facts as fit whole. */
function titleLine({ run, ui, history, now }: Picture, width: number): Line {
	const agent = run.agents[history.agent];
	const line = [segment(history.agent, ui.pane === "history" ? "heading" : "strong")];
	if (agent === undefined) return line;
	const facts = [cleanText(describeState(agent, now)).replace(/\b\d{1,3}ms\b/, "0s"), `pid ${agent.pid}`];
	const tokens = totalTokens(agent.usage);
	if (tokens > 0) facts.push(`${formatTokens(tokens)} tokens`);
	if (agent.costUsd !== 0) facts.push(formatCost(agent.costUsd));
	for (const [index, fact] of facts.entries()) {
		const next = segment(` · ${fact}`, "dim");
		if (index > 0 && lineWidth([...line, next]) > width) break;
		line.push(next);
	}
	return line;
}

/** The box lies in the middle, over what is there. */
function withHelp(body: readonly Line[], columns: number, top: number): Line[] {
	const box = helpBox(columns, body.length, top);
	const width = lineWidth(box[0] ?? []);
	const left = Math.max(0, Math.floor((columns - width) / 2));
	const above = Math.max(0, Math.floor((body.length - box.length) / 2));
	return body.map((line, row) => {
		const over = box[row - above];
		return over === undefined ? line : fitLine([segment(" ".repeat(left)), ...over], columns);
	});
}
