/** What a key does: pure. */
import { sizeAt } from "./layout.ts";
import { questionPane } from "./panes/question.ts";
import { KEYS, LISTED_KEYS, openPane, paneAt, paneNamed, sides } from "./panes.ts";
import { type Key, keyNamed } from "./scene/keys.ts";
import type { Pane, Step } from "./scene/pane.ts";
import { type Picture, type Scene, sceneOf } from "./scene/scene.ts";
import { closed, opened, type UiState } from "./scene/ui-state.ts";

/**
 * The open pane is asked first, then the pane that the key names or the side that has the keys. Keys that mean nothing
 * to either mean the same on the whole screen.
 */
export function pressKey(picture: Picture, name: string): Step {
	const { ui } = picture;
	const open = openPane(ui);
	const key = keyNamed(open?.keys ?? KEYS, name);
	if (key === undefined) return { ui };
	const scene = sceneOf(picture, LISTED_KEYS);
	return (
		stepOf(open, key, scene) ??
		closing(open, key, ui) ??
		stepOf(paneNamed(key.pane ?? ui.side), key, scene) ??
		commonStep(key, scene)
	);
}

function stepOf(pane: Pane | undefined, { action }: Key, scene: Scene): Step | undefined {
	return pane?.act(action, scene, sizeAt(pane.place, scene.size));
}

/** An open pane is closed by q, by escape, and by the key that opened it. */
function closing(open: Pane | undefined, { action, opens }: Key, ui: UiState): Step | undefined {
	if (open === undefined) return undefined;
	const isCloser = action === "leave" || action === "cancel" || (action === "open" && opens === open.name);
	return isCloser ? { ui: closed(ui) } : undefined;
}

function commonStep({ action, opens = "" }: Key, { ui, isRunOver }: Scene): Step {
	switch (action) {
		case "open":
			return { ui: opened(ui, opens) };
		case "leave":
		case "interrupt":
			return isRunOver ? { ui, wish: "close" } : { ui: opened(ui, questionPane.name) };
		case "leave_running":
			return { ui, wish: isRunOver ? "close" : "leave_running" };
		case "switch_side":
			return { ui: { ...ui, side: sideAfter(ui.side) } };
		case "to_left":
		case "cancel":
			return { ui: { ...ui, side: paneAt("left", ui)?.name ?? ui.side } };
		case "to_right":
			return { ui: { ...ui, side: paneAt("right", ui)?.name ?? ui.side } };
		default:
			return { ui };
	}
}

function sideAfter(side: string): string {
	const names = sides().map(({ name }) => name);
	return names[(names.indexOf(side) + 1) % names.length] ?? side;
}
