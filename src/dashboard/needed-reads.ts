/**
 * What has to be read for a reader's place: of an output that is too long for memory the pages around it, so that a step
 * never ends at a border, and of a long transcript what is before its first entry that is read. Pure.
 */
import { sizeAt } from "./layout.ts";
import type { Block } from "./panes/block.ts";
import { blockRows } from "./panes/block-rows.ts";
import { type BlockWindow, type Position, topOf } from "./panes/block-window.ts";
import { historyPane } from "./panes/history.ts";
import { windowOf } from "./panes/history-window.ts";
import { pageOf } from "./panes/place-keys.ts";
import { LISTED_KEYS } from "./panes.ts";
import { type Picture, sceneOf } from "./scene/scene.ts";

export interface NeededReads {
	readonly pages: readonly { readonly command: number; readonly page: number }[];
	/** What stands in the transcript before this byte; 0: nothing is needed. */
	readonly earlierThan: number;
}

const NOTHING: NeededReads = { pages: [], earlierThan: 0 };
const MARGIN_PAGES = 2; // of the screen, so that a step of one of them finds what comes next

export function neededReads(picture: Picture): NeededReads {
	const place = pageOf(picture.ui.scroll);
	const isThere =
		place === undefined || picture.history.outputs.get(place.command)?.pages.some(({ page }) => page === place.page);
	if (place !== undefined && !isThere) return { ...NOTHING, pages: [place] };
	return isComplete(picture) ? NOTHING : around(picture);
}

function isComplete({ history }: Picture): boolean {
	if (history.unreadBytes > 0) return false;
	return [...history.outputs.values()].every(({ pages, last }) => pages.length > last);
}

function around(picture: Picture): NeededReads {
	const scene = sceneOf(picture, LISTED_KEYS);
	const { scroll } = picture.ui;
	const window = windowOf(scene, sizeAt(historyPane.place, scene));
	const [above, below] = scroll.is === "end" ? [aboveEnd(window), undefined] : besides(window, topOf(window, scroll));
	const isAtStart = scroll.is === "at" && scroll.key === "";
	return {
		pages: [...pagesOf(above, "last"), ...pagesOf(below, "first")],
		earlierThan: isAtStart || above?.isEarlier || below?.isEarlier ? picture.history.unreadBytes : 0,
	};
}

function aboveEnd(window: BlockWindow): Block | undefined {
	return firstUnread(window, { from: window.blocks.length - 1, step: -1, rows: window.height * (1 + MARGIN_PAGES) });
}

function besides(window: BlockWindow, top: Position): [above: Block | undefined, below: Block | undefined] {
	const margin = window.height * MARGIN_PAGES;
	const here = window.blocks[top.block];
	const rowsHere = here === undefined ? 0 : blockRows(here, window.width).length;
	return [
		firstUnread(window, { from: top.block, step: -1, rows: margin - top.row + rowsHere }),
		firstUnread(window, { from: top.block, step: 1, rows: margin + window.height + top.row }),
	];
}

/** The first block on the way whose text is not read, within so many rows. */
function firstUnread(
	window: BlockWindow,
	{ from, step, rows }: { from: number; step: 1 | -1; rows: number },
): Block | undefined {
	let left = rows;
	for (let at = from; left > 0; at += step) {
		const block = window.blocks[at];
		if (block === undefined || block.unread !== undefined || block.isEarlier) return block;
		left -= blockRows(block, window.width).length;
	}
	return undefined;
}

function pagesOf(block: Block | undefined, end: "first" | "last"): NeededReads["pages"] {
	if (block?.unread === undefined || block.command === undefined) return [];
	return [{ command: block.command, page: block.unread[end] }];
}
