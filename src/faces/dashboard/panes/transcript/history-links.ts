/** The rows of a history that lead to agents: which one is marked, and where keys and clicks on them lead. */
import { type AgentId, parentOf } from "../../../../core/model/agent.ts";
import type { Scene } from "../../scene/scene.ts";
import { choose, goBack, goInto, noticed, type Scroll, type UiState } from "../../scene/ui-state.ts";
import { withRow } from "../tree-search.ts";
import type { Block } from "./block.ts";
import { type BlockWindow, movedIntoView, type Position, positionsFrom, topOf } from "./block-window.ts";

type Link = Block & { readonly link: AgentId };

/** The agents of the rows in the window that lead to one. */
export function shownLinks(window: BlockWindow, scroll: Scroll): Link[] {
	return visibleLinks(window, scroll).map(({ block }) => block);
}

/** The key of the row to which the enter key leads: the marked one when it is in the window, else the first there. */
export function markedLink(window: BlockWindow, { scroll, link }: UiState): Link | undefined {
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
