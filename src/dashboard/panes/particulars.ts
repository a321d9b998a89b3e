/** The particulars of the selected agent: its whole task, its process, its limits, what it has used, its files. */
import { displayWidth } from "../../text/width.ts";
import { type Line, type Size, segment } from "../scene/line.ts";
import type { Pane } from "../scene/pane.ts";
import { PARTICULARS } from "../scene/particulars.ts";
import type { Scene } from "../scene/scene.ts";
import { agentTitle } from "./acts.ts";
import { particularsLines } from "./particulars-lines.ts";
import { scrolledLines, scrollStep } from "./scrolled-box.ts";

export const particularsPane: Pane = {
	name: PARTICULARS,
	place: { is: "box", mostColumns: 110 },
	opener: {
		...{ action: "open", names: ["i"], opens: PARTICULARS },
		...{ label: "i", help: "particulars: whole task, process, limits, files" },
	},
	title,
	lines: (scene, size) => scrolledLines(particularsLines(scene, size.columns), scene.ui, size),
	act: (action, scene, size) => scrollStep(action, particularsLines(scene, size.columns), scene.ui, size),
};

/** The keys stay visible. */
function title(scene: Scene, size: Size): Line {
	const { ui } = scene;
	const more = particularsLines(scene, size.columns).length > size.rows ? "↑↓ for more, " : "";
	const long = [agentTitle(scene, ui.selected), ` (${more}esc closes)`] as const;
	const fits = displayWidth(long.join("")) <= size.columns;
	const [name, keys] = fits ? long : [ui.selected, ` (${more === "" ? "" : "↑↓, "}esc)`];
	return [segment(name, "heading"), segment(keys, "dim")];
}
