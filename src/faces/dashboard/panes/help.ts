/** The keys and what they do. */
import { padWidth } from "../../../text/width/width.ts";
import { type Line, segment } from "../../../tui/text/line.ts";
import { isScroll, type Pane, scrolledLines, scrollStep } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { closed } from "../scene/ui-state.ts";

const NAME = "help";
const LABEL_WIDTH = 13;

export const helpPane: Pane = {
	name: NAME,
	place: { is: "box", mostColumns: 80 },
	opener: { action: "open", names: ["?"], opens: NAME, label: "?", help: "help", hint: "more" },
	title: ({ keys }, { rows }) => [
		segment(rows < keys.length ? "Keys (↑↓ for more, esc closes)" : "Keys (esc closes)", "heading"),
	],
	lines: (scene, size) => scrolledLines(allLines(scene), scene.ui, size),
	act: (action, scene, size) => {
		if (action === "interrupt" || action === "redraw") return undefined;
		if (!isScroll(action)) return { ui: closed(scene.ui) }; // any other key closes the help
		return scrollStep(action, allLines(scene), scene.ui, size) ?? { ui: scene.ui };
	},
};

function allLines({ keys }: Scene): Line[] {
	return keys.map(({ label, help }) => [segment(padWidth(label, LABEL_WIDTH), "strong"), segment(help)]);
}
