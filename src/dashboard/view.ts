/** The whole screen as styled lines: pure, from the run, what the person chose, the size and the time. */
import { framed, framedTitle, ruled, ruledTitle } from "./frame.ts";
import { type Layout, layOut, sizeAt } from "./layout.ts";
import { bandLines } from "./panes/band.ts";
import { headerLines } from "./panes/header.ts";
import { lastEventsLine } from "./panes/last-events.ts";
import { barPane, LISTED_KEYS, openPane, paneAt, paneNamed } from "./panes.ts";
import { fitLine, fitLines, type Line, lineWidth, segment } from "./scene/line.ts";
import type { Pane } from "./scene/pane.ts";
import { type Picture, type Scene, sceneOf } from "./scene/scene.ts";

/** Exactly `size.rows` lines of exactly `size.columns` columns. */
export function view(picture: Picture): Line[] {
	const scene = sceneOf(picture, LISTED_KEYS);
	const { columns, rows } = scene.size;
	const layout = layOut(scene);
	const body = fitLines(sideLines(scene, layout), layout.bodyRows).map((line) => fitLine(line, columns));
	const bar = barPane(scene.ui).lines(scene, sizeAt({ is: "bar" }, scene));
	const lines = [
		...headerLines(scene, columns, layout.headerRows),
		...bandLines(scene, { columns, rows: layout.bandRows }),
		...withBox(body, boxLines(scene), columns),
		...(layout.hasEvents ? [lastEventsLine(scene, columns)] : []),
		...fitLines(bar, 1),
	].map((line) => fitLine(line, columns));
	return lines.slice(Math.max(0, lines.length - rows));
}

function sideLines(scene: Scene, { arrangement }: Layout): Line[] {
	const { ui } = scene;
	if (arrangement === "single") return ruledPane(paneNamed(ui.side), scene);
	const [left, right] = [paneAt("left", ui), paneAt("right", ui)];
	if (arrangement === "stacked") return [...ruledPane(left, scene), ...ruledPane(right, scene)];
	const rightLines = framedPane(right, scene);
	return framedPane(left, scene).map((line, row) => [...line, ...(rightLines[row] ?? [])]);
}

function ruledPane(pane: Pane | undefined, scene: Scene): Line[] {
	if (pane === undefined) return [];
	const inner = sizeAt(pane.place, scene);
	const title = pane.title(scene, inner, ruledTitle(inner));
	return ruled(pane.lines(scene, inner), { title, inner, hasKeys: hasKeys(pane, scene) });
}

function framedPane(pane: Pane | undefined, scene: Scene): Line[] {
	if (pane === undefined) return [];
	const inner = sizeAt(pane.place, scene);
	const blanks = pane.place.is === "left" ? 0 : 1;
	const title = pane.title(scene, inner, framedTitle({ inner, blanks }));
	return framed(pane.lines(scene, inner), { title, inner, blanks, hasKeys: hasKeys(pane, scene) });
}

/** A box has the keys while it is open, and no side has them then. */
function hasKeys(pane: Pane, { ui }: Scene): boolean {
	const open = openPane(ui);
	return open?.place.is === "box" ? open === pane : ui.side === pane.name;
}

/** No higher than what it shows. */
function boxLines(scene: Scene): Line[] {
	const pane = openPane(scene.ui);
	if (pane?.place.is !== "box") return [];
	const most = sizeAt(pane.place, scene);
	const lines = pane.lines(scene, most).slice(0, most.rows);
	const inner = { ...most, rows: lines.length };
	const title = pane.title(scene, most, framedTitle({ inner, blanks: 1 }));
	return framed(lines, { title, inner, blanks: 1, hasKeys: true });
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
