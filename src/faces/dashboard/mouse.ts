/** What the mouse does: the wheel scrolls the pane under it, a click gives a pane the keys and chooses what it shows there. Pure. */
import type { MouseKey } from "../../tui/keys/key.ts";
import { layOut, sizeAt } from "./layout.ts";
import { answerPane } from "./panes/answer.ts";
import { LISTED_KEYS, openPane, paneAt, paneNamed } from "./panes.ts";
import type { Pane, Step } from "./scene/pane.ts";
import { type Picture, type Scene, sceneOf } from "./scene/scene.ts";

const WHEEL_LINES = 3;

export function point(picture: Picture, event: MouseKey): Step {
	const scene = sceneOf(picture, LISTED_KEYS);
	const open = openPane(scene.ui);
	if (open !== undefined) return open.place.is === "box" ? turnWheel(open, scene, event) : { ui: scene.ui };
	if (event.button === "left" && isOnBand(scene, event)) return answerPane.opening?.(scene) ?? { ui: scene.ui };
	const found = sideAt(scene, event);
	if (found === undefined) return { ui: scene.ui };
	if (event.button !== "left") return turnWheel(found.pane, scene, event);
	const ui = { ...scene.ui, side: found.pane.name };
	const size = sizeAt(found.pane.place, scene);
	const isWithin = found.row >= 0 && found.row < size.rows;
	return (isWithin ? found.pane.click?.({ ...scene, ui }, size, found.row) : undefined) ?? { ui };
}

function turnWheel(pane: Pane, scene: Scene, { button }: MouseKey): Step {
	if (button === "left") return { ui: scene.ui };
	let { ui } = scene;
	for (let line = 0; line < WHEEL_LINES; line++) {
		const now = { ...scene, ui };
		ui = pane.act(button === "wheel_up" ? "up" : "down", now, sizeAt(pane.place, now))?.ui ?? ui;
	}
	return { ui };
}

/** A click there turns to the question; no click answers one. */
function isOnBand(scene: Scene, { y }: MouseKey): boolean {
	const { headerRows, questionBannerRows } = layOut(scene);
	return y >= headerRows && y < headerRows + questionBannerRows;
}

/** The side under the pointer, and which of its lines that is: -1 is its title. */
function sideAt(scene: Scene, { x, y }: MouseKey): { pane: Pane; row: number } | undefined {
	const { arrangement, headerRows, questionBannerRows, bodyRows, left } = layOut(scene);
	const row = y - headerRows - questionBannerRows;
	if (row < 0 || row >= bodyRows) return undefined;
	const isLeft = arrangement === "beside" ? x < left.columns : row < left.rows;
	const pane = arrangement === "single" ? paneNamed(scene.ui.side) : paneAt(isLeft ? "left" : "right", scene.ui);
	const top = arrangement === "stacked" && !isLeft ? left.rows : 0;
	return pane && { pane, row: row - top - 1 };
}
