/** The whole screen as styled lines: pure, from the run, what the person chose, the size and the time. */
import type { RunState } from "../core/run-state.ts";
import { factsOf } from "../models/catalogue.ts";
import { cleanText, firstLine } from "../text/terminal-safe.ts";
import { framed } from "./frame.ts";
import { type Layout, layOut, SEPARATOR, sizeAt } from "./layout.ts";
import { barPane, LISTED_KEYS, openPane, paneAt, paneNamed } from "./panes.ts";
import { fitLine, fitLines, type Line, lineWidth, type Size, segment } from "./scene/line.ts";
import type { Pane } from "./scene/pane.ts";
import { type Picture, type Scene, sceneOf } from "./scene/scene.ts";

/** Exactly `size.rows` lines of exactly `size.columns` columns. */
export function view(picture: Picture): Line[] {
	const scene = sceneOf(picture, LISTED_KEYS);
	const { columns, rows } = scene.size;
	const layout = layOut(scene.size);
	const header = layout.hasHeader ? [headerLine(scene.run), [segment("─".repeat(columns), "dim")]] : [];
	const body = [...header, ...sideLines(scene, layout)].map((line) => fitLine(line, columns));
	const bar = drawn(barPane(scene.ui), scene).map((line) => fitLine(line, columns));
	const lines = [...withBox(body, boxLines(scene), columns), ...bar];
	return lines.slice(Math.max(0, lines.length - rows));
}

function headerLine({ run, model, task }: RunState): Line {
	return [
		segment(" agentree", "strong"),
		segment(`  ${cleanText(run)}  ${cleanText(factsOf(model).shortName)}  `, "dim"),
		segment(firstLine(cleanText(task))),
	];
}

function sideLines(scene: Scene, layout: Layout): Line[] {
	const { ui } = scene;
	const rows = layout.sideHeight + 1;
	if (layout.isNarrow) return fitLines(drawn(paneNamed(ui.side), scene), rows);
	const left = fitLines(drawn(paneAt("left", ui), scene), rows);
	const right = fitLines(drawn(paneAt("right", ui), scene), rows);
	return left.map((line, row) => [
		...fitLine(line, layout.leftWidth),
		segment(SEPARATOR, "dim"),
		...(right[row] ?? []),
	]);
}

function boxLines(scene: Scene): Line[] {
	const pane = openPane(scene.ui);
	if (pane?.place.is !== "box") return [];
	const inner = sizeAt(pane.place, scene.size);
	return framed(pane.title(scene, inner), pane.lines(scene, inner), inner);
}

/** The title, and the lines below it. */
function drawn(pane: Pane | undefined, scene: Scene): Line[] {
	if (pane === undefined) return [];
	const size: Size = sizeAt(pane.place, scene.size);
	return [pane.title(scene, size), ...pane.lines(scene, size).slice(0, size.rows)];
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
