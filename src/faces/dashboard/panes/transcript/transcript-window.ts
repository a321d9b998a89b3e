/** The transcript of a scene as a window: its blocks, and the room for them. */

import { type Agent, type AgentId, parentOf } from "../../../../core/model/agent.ts";
import { formatDuration } from "../../../../text/durations.ts";
import { formatCost } from "../../../../text/numbers.ts";
import { type Line, type Segment, type Size, segment, selectLine } from "../../../../tui/text/line.ts";
import type { Scene } from "../../scene/scene.ts";
import { choose, goBack, goInto, noticed, type Scroll, soughtText, type UiState } from "../../scene/ui-state.ts";
import { doingText } from "../agent-line.ts";
import { MARKS } from "../agent-mark.ts";
import { withRow } from "../tree-steps.ts";
import type { Block } from "./block.ts";
import { type BlockWindow, movedIntoView, type Position, positionsFrom, topOf } from "./block-window.ts";
import { markMatches } from "./find-text.ts";
import { transcriptBlocks } from "./transcript-blocks.ts";

/** A pane that is lower spares no line for what the agent has spent. */
const FACTS_FROM_ROWS = 8;

export function hasFacts({ rows }: Size): boolean {
	return rows >= FACTS_FROM_ROWS;
}

export function windowOf(scene: Scene, size: Size): BlockWindow {
	const { run, transcript, now, activity, ui } = scene;
	const children = scene.branches.get(transcript.agent)?.children ?? [];
	const blocks = transcriptBlocks(transcript, { agent: run.agents[transcript.agent], children, now, activity });
	const sought = soughtText(ui);
	let first: string | undefined;
	const marked = () => {
		if (ui.side !== "transcript") return undefined;
		first ??= markedLink(window, ui)?.key ?? "";
		return first;
	};
	const window: BlockWindow = {
		...{ blocks, width: size.columns, height: size.rows - (hasFacts(size) ? 1 : 0) },
		linkLine: (id, { key }) => linkLine(scene, id, key === marked()),
		decorate: (line, block, row) => markMatches(line, { block, row, text: sought }),
	};
	return window;
}

/** The row of a transcript that leads to an agent: how it stands, as the tree says it. */

/** `→ 1.3 linker ✓ 1m08s $0.02  the first line of its answer`. `isMarked`: the enter key leads there. */
function linkLine(scene: Scene, id: AgentId, isMarked: boolean): Line {
	const agent = scene.run.agents[id];
	const line = [segment("→ ", "calm"), segment(id, "strong"), ...(agent === undefined ? [] : standing(agent, scene))];
	return isMarked ? selectLine(line) : line;
}

function standing(agent: Agent, scene: Scene): Segment[] {
	const view = scene.view.of(agent);
	const { glyph, tone } = MARKS[view.doing];
	const cost = formatCost(agent.costUsd);
	return [
		segment(` ${view.name} `),
		segment(glyph, tone),
		segment(` ${formatDuration(Math.max(1_000, view.ageMs))}${cost === "-" ? "" : ` ${cost}`}  `, "dim"),
		segment(doingText(view), view.tone === "plain" ? "dim" : view.tone),
	];
}

/** The rows of a transcript that lead to agents: which one is marked, and where keys and clicks on them lead. */

type Link = Block & { readonly link: AgentId };

/** The agents of the rows in the window that lead to one. */
export function shownLinks(window: BlockWindow, scroll: Scroll): Link[] {
	return visibleLinks(window, scroll).map(({ block }) => block);
}

/** The key of the row to which the enter key leads: the marked one when it is in the window, else the first there. */
function markedLink(window: BlockWindow, { scroll, link }: UiState): Link | undefined {
	const links = shownLinks(window, scroll);
	return links.find(({ key }) => key === link) ?? links[0];
}

export function goToMarked(scene: Scene, window: BlockWindow): UiState {
	const { ui, now } = scene;
	const marked = markedLink(window, ui);
	if (marked === undefined) return noticed(ui, "no agent link here: ] next, [ previous", { tone: "warn", now });
	return goTo(scene, marked);
}

export function goTo(scene: Scene, { link, key }: Link): UiState {
	return withRow(scene, { ...goInto({ ...scene.ui, link: key }, link), follow: { is: "off" } });
}

/** Without a way back it leads to the agent above, to the row that leads here. */
export function goBackOrUp(scene: Scene): UiState {
	const { ui, now } = scene;
	const back = goBack(ui);
	if (back !== undefined) return withRow(scene, back);
	const parent = parentOf(ui.selected);
	if (parent === undefined) return noticed(ui, "there is no agent above the root", { tone: "warn", now });
	const scroll = { is: "at", key: `>${ui.selected}`, offset: 0 } as const;
	return withRow(scene, { ...choose(ui, parent), scroll });
}

/** Marks the next row that leads to an agent, or the one before, and shows it. */
export function markLink(scene: Scene, window: BlockWindow, step: 1 | -1): UiState {
	const { ui, now } = scene;
	const from = positionToMarkFrom(window, ui, step);
	const next = linkBeyond(window, from, step);
	if (next === undefined)
		return noticed(ui, `no agent was started ${step === 1 ? "below" : "above"} this line`, { tone: "warn", now });
	const { block, position } = next;
	return { ...ui, link: block.key, scroll: movedIntoView(window, ui.scroll, position) };
}

/** The marked row, if it is in the window; else where the window begins, or ends. */
function positionToMarkFrom(window: BlockWindow, ui: UiState, step: 1 | -1): number {
	const links = visibleLinks(window, ui.scroll);
	const marked = links.find(({ block }) => block.key === ui.link) ?? (step === 1 ? undefined : links[0]);
	if (marked !== undefined) return marked.position.block;
	if (ui.link === undefined && links[0] !== undefined) return links[0].position.block; // the first is as if it were marked
	return topOf(window, ui.scroll).block - 1;
}

function linkBeyond(
	{ blocks }: BlockWindow,
	from: number,
	step: 1 | -1,
): { block: Link; position: Position } | undefined {
	for (let at = from + step; at >= 0 && at < blocks.length; at += step) {
		const block = blocks[at];
		if (block !== undefined && isLink(block)) return { block, position: { block: at, row: 0 } };
	}
	return undefined;
}

function visibleLinks(window: BlockWindow, scroll: Scroll): { block: Link; position: Position }[] {
	return positionsFrom(window, topOf(window, scroll), window.height).flatMap((position) => {
		const block = window.blocks[position.block];
		return block !== undefined && isLink(block) ? [{ block, position }] : [];
	});
}

function isLink(block: Block): block is Link {
	return block.link !== undefined;
}
