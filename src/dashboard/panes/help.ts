/** The keys and what they do. */
import { padWidth } from "../../text/width.ts";
import { type Line, type Size, segment } from "../scene/line.ts";
import type { Pane } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { closed, opened, type UiState } from "../scene/ui-state.ts";

const NAME = "help";
const LABEL_WIDTH = 13;

export const helpPane: Pane = {
	name: NAME,
	place: { is: "box", mostColumns: 80 },
	opener: { action: "open", names: ["?"], opens: NAME, label: "?", help: "this help", hint: "more" },
	title: ({ keys }, { rows }) => [
		segment(rows < keys.length ? "Keys (↑↓ for more, esc closes)" : "Keys (esc closes)", "heading"),
	],
	lines,
	act: (action, { ui, keys }) => {
		switch (action) {
			case "up":
				return { ui: opened(ui, NAME, Math.max(0, topOf(ui) - 1)) };
			case "down":
				return { ui: opened(ui, NAME, Math.min(topOf(ui) + 1, keys.length)) };
			case "interrupt":
				return undefined;
			default: // any other key closes the help
				return { ui: closed(ui) };
		}
	},
};

function lines({ keys, ui }: Scene, { rows }: Size): Line[] {
	const first = Math.max(0, Math.min(topOf(ui), keys.length - rows));
	return keys
		.slice(first, first + rows)
		.map(({ label, help }) => [segment(padWidth(label, LABEL_WIDTH), "strong"), segment(help)]);
}

function topOf({ open }: UiState): number {
	return open.is === "none" ? 0 : open.top;
}
