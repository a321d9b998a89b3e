/** The history of the selected agent: who it is, what it has spent, and what it said and did. */
import type { Action } from "../scene/keys.ts";
import { type Line, lineWidth, type Size, segment, type Tone } from "../scene/line.ts";
import type { Pane, Step } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { END, type Scroll, TOP, type UiState } from "../scene/ui-state.ts";
import { type BlockWindow, hasMoreBelow, positionsFrom, scrollBy, topOf, windowLines } from "./block-window.ts";
import { foundText } from "./history-find.ts";
import { factsLine, pathName, titleLine } from "./history-head.ts";
import { goBackOrUp, goTo, goToMarked, markLink } from "./history-links.ts";
import { copyAnswer, readHistory, readWhole } from "./history-out.ts";
import { hasFacts, windowOf } from "./history-window.ts";

const NAME = "history";

export const historyPane: Pane = {
	name: NAME,
	place: { is: "right" },
	title,
	lines: (scene, size) => {
		const window = windowOf(scene, size);
		const agent = scene.run.agents[scene.history.agent];
		const rows = windowLines(window, scene.ui.scroll);
		if (!hasFacts(size)) return rows;
		const place = placeOf(window, scene.ui.scroll);
		const facts = agent && factsLine(scene.run, agent, { place, width: size.columns });
		return [facts ?? [segment(...place)], ...rows];
	},
	act: (action, scene, size) => {
		const window = windowOf(scene, size);
		const ui = uiAfter(action, scene.ui, window) ?? lookingAround(action, scene, window);
		return ui === undefined ? takenOut(action, scene, window) : { ui };
	},
	click: (scene, size, row) => {
		const window = windowOf(scene, size);
		const top = topOf(window, scene.ui.scroll);
		const at = positionsFrom(window, top, window.height)[hasFacts(size) ? row - 1 : row];
		const block = at && window.blocks[at.block];
		return block?.link === undefined ? undefined : { ui: goTo(scene, { ...block, link: block.link }) };
	},
};

function title(scene: Scene, size: Size, room: number): Line {
	const { run, ui, history, now } = scene;
	const place = placeOf(windowOf(scene, size), ui.scroll);
	const more = hasFacts(size) || place[1] === "dim" ? [] : [segment(` ${place[0]}`, place[1])];
	const width = room - lineWidth(more);
	const agent = run.agents[history.agent];
	if (agent === undefined) return [segment(history.agent, "strong"), ...more];
	const head = titleLine({ agent, name: pathName(history.agent, scene), now, width });
	return [...head, ...more];
}

function placeOf(window: BlockWindow, scroll: Scroll): [text: string, tone: Tone] {
	return hasMoreBelow(window, scroll) ? ["↓ more", "warn"] : ["↓ end", "dim"];
}

function uiAfter(action: Action, ui: UiState, window: BlockWindow): UiState | undefined {
	const page = Math.max(1, window.height - 1);
	const half = Math.max(1, Math.floor(window.height / 2));
	const by = (lines: number) => scrolled(ui, scrollBy(window, ui.scroll, lines));
	switch (action) {
		case "up":
			return by(-1);
		case "down":
			return by(1);
		case "page_up":
			return by(-page);
		case "page_down":
			return by(page);
		case "half_up":
			return by(-half);
		case "half_down":
			return by(half);
		case "first":
			return scrolled(ui, hasMoreBelow(window, TOP) ? TOP : END);
		case "last":
			return { ...ui, scroll: END };
		default:
			return undefined;
	}
}

function lookingAround(action: Action, scene: Scene, window: BlockWindow): UiState | undefined {
	switch (action) {
		case "go_in":
			return goToMarked(scene, window);
		case "go_back":
			return goBackOrUp(scene);
		case "next_link":
			return markLink(scene, window, 1);
		case "previous_link":
			return markLink(scene, window, -1);
		case "find_next":
			return foundText(window, scene, 1);
		case "find_previous":
			return foundText(window, scene, -1);
		default:
			return undefined;
	}
}

function takenOut(action: Action, scene: Scene, window: BlockWindow): Step | undefined {
	switch (action) {
		case "read_whole":
			return readWhole(scene, window);
		case "read_history":
			return readHistory(scene, window);
		case "copy_answer":
			return copyAnswer(scene);
		default:
			return undefined;
	}
}

/** A person who reads further up does not want to be led away: following ends. */
function scrolled(ui: UiState, scroll: Scroll): UiState {
	return { ...ui, scroll, follow: scroll.is === "end" ? ui.follow : { is: "off" } };
}
