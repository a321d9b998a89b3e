/** The whole screen as styled lines: pure, from the run, what the person chose, the size and the time. */

import type { RunState } from "../core/run-state.ts";
import { cleanText, firstLine } from "../text/terminal-safe.ts";
import { type Layout, layOut, SEPARATOR } from "./layout.ts";
import { historyBlocks } from "./panes/blocks.ts";
import { hintsLine, totalsLine } from "./panes/footer.ts";
import { helpBox } from "./panes/help.ts";
import { type AgentHistory, lastWords } from "./panes/history.ts";
import { type HistoryHead, spentLine, titleLine } from "./panes/history-head.ts";
import { type HistoryPane, hasMoreBelow, historyLines } from "./panes/history-pane.ts";
import { childrenOf, treeRows, visibleRowOf } from "./panes/tree.ts";
import { treePane } from "./panes/tree-pane.ts";
import { usageBox } from "./panes/usage-box.ts";
import { fitLine, fitLines, type Line, lineWidth, type Size, segment } from "./styled.ts";
import type { Scene, UiState } from "./ui-state.ts";

export interface Picture {
	readonly run: RunState;
	readonly ui: UiState;
	/** Of the selected agent. */
	readonly history: AgentHistory;
	readonly isLost: boolean;
	/** The supervisor lives, but was stopped by a signal. */
	readonly isSuspended?: boolean;
	readonly size: Size;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/** Exactly `size.rows` lines of exactly `size.columns` columns. */
export function view(picture: Picture): Line[] {
	const { run, size, now } = picture;
	const layout = layOut(size);
	const panes = fitLines(panesOf(picture, layout), layout.paneHeight + 1);
	const header = layout.hasHeader ? [headerLine(run), [segment("─".repeat(size.columns), "dim")]] : [];
	const body = [...header, ...panes].map((line) => fitLine(line, size.columns));
	const shown = withBox(body, boxOf(picture, body.length), size.columns);
	const footer = [totalsLine(run, now, size.columns), hintsLine({ ...picture, width: size.columns })];
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

function historyPaneOf(picture: Picture, layout: Layout): HistoryPane {
	const { run, history, now } = picture;
	const children = childrenOf(run).get(history.agent) ?? [];
	const blocks = historyBlocks(history, { agent: run.agents[history.agent], children, now });
	const height = layout.paneHeight - spentLines(picture, layout).length;
	return { blocks, width: layout.historyWidth, height };
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
	const head = headOf(picture, titleWidth);
	const title = head === undefined ? [segment(picture.history.agent, "strong")] : titleLine(head);
	const spent = spentLines(picture, layout).map((line) => fitLine(line, pane.width));
	return [[...fitLine(title, titleWidth), ...more], ...spent, ...historyLines(pane, ui.scroll)];
}

/** A line, where there is one to spare. */
function spentLines(picture: Picture, layout: Layout): Line[] {
	const head = layout.hasSpent ? headOf(picture, layout.historyWidth) : undefined;
	const line = head === undefined ? undefined : spentLine(head);
	return line === undefined ? [] : [line];
}

function headOf({ run, ui, history, now, size }: Picture, width: number): HistoryHead | undefined {
	const agent = run.agents[history.agent];
	const hasSpentLine = layOut(size).hasSpent;
	return agent && { run, agent, isActive: ui.pane === "history", now, width, hasSpentLine };
}

function boxOf({ run, ui, size }: Picture, rows: number): Line[] {
	if (ui.overlay.is === "help") return helpBox(size.columns, rows, ui.overlay.top);
	return ui.overlay.is === "usage" ? usageBox(run, ui.selected, { columns: size.columns, rows }) : [];
}

/** The box lies in the middle, over what is there. */
function withBox(body: readonly Line[], box: readonly Line[], columns: number): Line[] {
	const width = lineWidth(box[0] ?? []);
	const left = Math.max(0, Math.floor((columns - width) / 2));
	const above = Math.max(0, Math.floor((body.length - box.length) / 2));
	return body.map((line, row) => {
		const over = box[row - above];
		return over === undefined ? line : fitLine([segment(" ".repeat(left)), ...over], columns);
	});
}
